package decode

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// formatProto is the wire format of protobuf. A list or map in it is identified by all of its fields, with
// their tags.
const formatProto format = 2

// HasProto reports whether Proto decodes messages of the type. If nothing is shared, the type's method
// Unmarshal does.
func (d *Decoder) HasProto() bool { return d.root.wire == messageWire && d.shared != nil }

// Proto decodes a message into a zero value of the type that pointer points to. It returns false if the
// type's method Unmarshal must be used: then the value may be filled in part. It keeps no reference to the
// message.
func (d *Decoder) Proto(message []byte, how decoding.Options, pointer unsafe.Pointer) bool {
	if !d.HasProto() {
		return false
	}
	w := wireWalk{d.begin(message, how, pointer)}
	defer w.end()
	return w.message(d.root, message, pointer, root)
}

// wireWalk is the decoding of one message.
type wireWalk struct{ session }

// Numbers of fields of an object and of its ObjectMeta.
const (
	metadataField      = 1
	managedFieldsField = 17
)

// message decodes a message into a struct. Each field must appear once, with all its values together if it
// is repeated.
func (w *wireWalk) message(n *node, message []byte, p unsafe.Pointer, level level) bool {
	w.written.note(n.writes.Opaque)
	var seen uint64
	for at := 0; at < len(message); {
		r, content, end := readWhole(message, at)
		if end < 0 {
			return false
		}
		f := n.numbered(r.Number)
		if f == nil || level == metadata && w.dropManagedFields && r.Number == managedFieldsField {
			at = end
			continue
		}
		if seen&f.bit != 0 {
			return false
		}
		seen |= f.bit
		into := unsafe.Add(p, f.offset)
		switch {
		case f.wire == sliceWire || f.wire == mapWire:
			var count int
			end, count = endOfRepeated(message, end, r)
			if end < 0 || !w.repeated(f.node, records{r.Type, count, message[at:end]}, into) {
				return false
			}
		case level == root && f.wire == messageWire && r.Number == metadataField && r.Type == protowire.BytesType:
			if !w.message(f.node, content, into, metadata) {
				return false
			}
		default:
			if !w.single(f.node, r, content, into) {
				return false
			}
		}
		at = end
	}
	return true
}

// numbered returns the field with a number, or nil.
func (n *node) numbered(number protowire.Number) *wireField {
	if int(number) >= len(n.numbers) {
		return nil
	}
	return n.numbers[number]
}

// endOfRepeated returns the offset after the records at an offset that belong to the same field as the
// first one, and their number, with the first one.
func endOfRepeated(message []byte, at int, first Record) (_, count int) {
	for count = 1; at >= 0 && at < len(message); count++ {
		r, _, end := readWhole(message, at)
		if r.Number != first.Number || r.Type != first.Type {
			break
		}
		at = end
	}
	return at, count
}

// single decodes the value of one field.
func (w *wireWalk) single(n *node, r Record, content []byte, p unsafe.Pointer) bool {
	switch r.Type {
	case protowire.VarintType:
		return n.setVarint(r.Value, p)
	case protowire.Fixed64Type:
		return n.set64(r.Value, p)
	case protowire.Fixed32Type:
		return n.set32(uint32(r.Value), p)
	}
	return w.content(n, content, p)
}

// scalar returns the node and the place of a number or bool. If p is a pointer, scalar allocates the value
// that it points to.
func (n *node) scalar(p unsafe.Pointer) (*node, unsafe.Pointer) {
	if n.wire != pointerWire {
		return n, p
	}
	value := reflect.New(n.elem.typ).UnsafePointer()
	*(*unsafe.Pointer)(p) = value
	return n.elem, value
}

func (n *node) setVarint(v uint64, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	switch {
	case n.wire == boolWire:
		*(*bool)(p) = v != 0
	case n.wire == intWire && n.typ.Size() == 8:
		*(*uint64)(p) = v
	case n.wire == intWire:
		*(*uint32)(p) = uint32(v)
	default:
		return false
	}
	return true
}

func (n *node) set64(v uint64, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	if n.wire != doubleWire {
		return false
	}
	*(*float64)(p) = math.Float64frombits(v)
	return true
}

func (n *node) set32(v uint32, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	if n.wire != floatWire {
		return false
	}
	*(*float32)(p) = math.Float32frombits(v)
	return true
}

// content decodes a value with a length: a string, bytes or a message.
func (w *wireWalk) content(n *node, content []byte, p unsafe.Pointer) bool {
	switch n.wire {
	case stringWire:
		*(*string)(p) = w.strings.string(content)
		return true
	case bytesWire:
		*(*[]byte)(p) = slices.Clip(append([]byte{}, content...))
		return true
	case customWire:
		w.written.note(!n.writes.Known)
		ok := reflect.NewAt(n.typ, p).Interface().(unmarshaler).Unmarshal(content) == nil
		n.clip(p)
		return ok
	case messageWire:
		if n.kind != structKind {
			return w.message(n, content, p, below)
		}
	case pointerWire:
		if k := n.elem.wire; k != messageWire && k != customWire && k != stringWire {
			return false
		}
	default:
		return false
	}
	return w.part(n, content, p, func() bool {
		if n.wire == messageWire {
			return w.message(n, content, p, below)
		}
		value := w.newPointer(n, p)
		return w.fill(value, func() bool {
			if n.elem.wire == messageWire {
				return w.message(n.elem, content, value, below)
			}
			return w.content(n.elem, content, value)
		})
	})
}

// fill calls decode, which fills the memory at base.
func (w *wireWalk) fill(base unsafe.Pointer, decode func() bool) bool {
	before := w.base
	w.base = base
	ok := decode()
	w.base = before
	return ok
}

// part sets the value at p to one that was decoded before, or else calls decode for it.
func (w *wireWalk) part(n *node, text []byte, p unsafe.Pointer, decode func() bool) bool {
	l, ok := w.find(n, formatProto, text, p)
	if ok {
		return true
	}
	before := w.written
	if !decode() {
		return false
	}
	w.keep(&l, n, p, before)
	return true
}

// records are all records of one field. They are whole, and of one type.
type records struct {
	of    protowire.Type
	count int
	text  []byte
}

// repeated decodes a slice or map.
func (w *wireWalk) repeated(n *node, all records, p unsafe.Pointer) bool {
	return w.part(n, all.text, p, func() bool {
		if n.wire == mapWire {
			return w.mapping(n, all, p)
		}
		return w.slice(n, all, p)
	})
}

func (a records) each(each func(r Record, content []byte) bool) bool {
	for at := 0; at < len(a.text); {
		r, content, end := readWhole(a.text, at)
		if !each(r, content) {
			return false
		}
		at = end
	}
	return true
}

func (w *wireWalk) slice(n *node, all records, p unsafe.Pointer) bool {
	if n.elem.wire == sliceWire || n.elem.wire == mapWire || all.of == protowire.BytesType && n.elem.wire < stringWire {
		return false // for example packed numbers, which Kubernetes does not write
	}
	array, size := w.newArray(n, all.count, p), n.elem.typ.Size()
	i := uintptr(0)
	return w.fill(array, func() bool {
		return all.each(func(r Record, content []byte) bool {
			i++
			return w.single(n.elem, r, content, unsafe.Add(array, (i-1)*size))
		})
	})
}

// Fields of an entry of a map.
const keyField, valueField = 1, 2

func (w *wireWalk) mapping(n *node, all records, p unsafe.Pointer) bool {
	if all.of != protowire.BytesType || n.elem.wire == sliceWire || n.elem.wire == mapWire {
		return false
	}
	var m reflect.Value
	var stringMap map[string]string
	if n.kind == stringMapKind {
		stringMap = make(map[string]string, all.count)
		*(*map[string]string)(p) = stringMap
	} else {
		m = reflect.MakeMapWithSize(n.typ, all.count)
		reflect.NewAt(n.typ, p).Elem().Set(m)
	}
	return all.each(func(_ Record, entry []byte) bool {
		key, r, content, ok := keyAndValue(entry)
		if !ok {
			return false
		}
		if stringMap != nil {
			stringMap[w.strings.string(key)] = w.strings.string(content)
			return r.Type == protowire.BytesType
		}
		elem := reflect.New(n.elem.typ)
		if n.elem.typ.Kind() == reflect.Slice {
			elem.Elem().Set(reflect.MakeSlice(n.elem.typ, 0, 0)) // as in generated code
		}
		if !w.fill(nil, func() bool { return w.single(n.elem, r, content, elem.UnsafePointer()) }) {
			return false
		}
		m.SetMapIndex(reflect.ValueOf(w.strings.string(key)).Convert(n.typ.Key()), elem.Elem())
		return true
	})
}

// keyAndValue splits an entry of a map, which must have both.
func keyAndValue(entry []byte) (key []byte, value Record, content []byte, ok bool) {
	r, key, end := readWhole(entry, 0)
	if r.Number != keyField || r.Type != protowire.BytesType || end < 0 {
		return nil, value, nil, false
	}
	value, content, end = readWhole(entry, end)
	return key, value, content, value.Number == valueField && end == len(entry)
}
