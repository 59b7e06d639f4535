package decode

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// formatProto is the wire format of protobuf. What identifies a list or map in it are all
// of its fields, with their tags.
const formatProto format = 2

// Proto decodes objects of one Go type from protobuf. It is safe for concurrent use.
type Proto struct {
	root *wireNode
	Options
}

// NewProto returns the decoder of a type, or nil if it can't handle that. It makes no use of
// a fallback.
func NewProto(t reflect.Type, options Options) *Proto {
	root := wireNodeOf(t)
	if root.kind != messageWire || options.Shared == nil {
		return nil
	}
	return &Proto{root, options}
}

// Decode decodes a message into a zero value of the type that pointer points to. It returns
// false if the method Unmarshal of the type has to: then the value may be filled in part.
// It keeps nothing of the message.
func (p *Proto) Decode(message []byte, pointer unsafe.Pointer) bool {
	w := wireWalk{shared: p.Shared, strings: interners.Get().(*interner), own: p.Exclusive, dropManagedFields: p.DropManagedFields, budget: budgetOf(message), base: pointer}
	defer interners.Put(w.strings)
	return w.message(p.root, message, pointer, root)
}

// wireWalk is the decoding of one message.
type wireWalk struct {
	shared  *Shared
	strings *interner
	own     bool
	written written
	budget  budget
	// base is the memory that is being filled, or nil if the object will have a copy of it.
	base unsafe.Pointer

	dropManagedFields bool
}

// Numbers of fields of an object and of its ObjectMeta.
const (
	metadataField      = 1
	managedFieldsField = 17
)

// message decodes a message into a struct. Each field, and with it all that are repeated,
// must be there once.
func (w *wireWalk) message(n *wireNode, message []byte, p unsafe.Pointer, level level) bool {
	w.written.note(n.writes.Opaque)
	var seen uint64
	for at := 0; at < len(message); {
		r, content, end := readWhole(message, at)
		if end < 0 {
			return false
		}
		f := n.field(r.Number)
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
		case f.kind == sliceWire || f.kind == mapWire:
			var count int
			end, count = endOfRepeated(message, end, r)
			if end < 0 || !w.repeated(f.wireNode, records{r.Type, count, message[at:end]}, into) {
				return false
			}
		case level == root && f.kind == messageWire && r.Number == metadataField && r.Type == protowire.BytesType:
			if !w.message(f.wireNode, content, into, metadata) {
				return false
			}
		default:
			if !w.single(f.wireNode, r, content, into) {
				return false
			}
		}
		at = end
	}
	return true
}

func (n *wireNode) field(number protowire.Number) *wireField {
	if int(number) >= len(n.fields) {
		return nil
	}
	return n.fields[number]
}

// endOfRepeated returns the offset behind the records that begin there and are of the same field
// as the one before, and how many these are with it.
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
func (w *wireWalk) single(n *wireNode, r Record, content []byte, p unsafe.Pointer) bool {
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

// scalar returns the node and the place of a number or bool that p is, or points to then.
func (n *wireNode) scalar(p unsafe.Pointer) (*wireNode, unsafe.Pointer) {
	if n.kind != pointerWire {
		return n, p
	}
	value := reflect.New(n.elem.typ).UnsafePointer()
	*(*unsafe.Pointer)(p) = value
	return n.elem, value
}

func (n *wireNode) setVarint(v uint64, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	switch {
	case n.kind == boolWire:
		*(*bool)(p) = v != 0
	case n.kind == intWire && n.typ.Size() == 8:
		*(*uint64)(p) = v
	case n.kind == intWire:
		*(*uint32)(p) = uint32(v)
	default:
		return false
	}
	return true
}

func (n *wireNode) set64(v uint64, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	if n.kind != doubleWire {
		return false
	}
	*(*float64)(p) = math.Float64frombits(v)
	return true
}

func (n *wireNode) set32(v uint32, p unsafe.Pointer) bool {
	n, p = n.scalar(p)
	if n.kind != floatWire {
		return false
	}
	*(*float32)(p) = math.Float32frombits(v)
	return true
}

// content decodes a value that has a length: a string, bytes or a message.
func (w *wireWalk) content(n *wireNode, content []byte, p unsafe.Pointer) bool {
	switch n.kind {
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
		if n.node.kind != structKind {
			return w.message(n, content, p, below)
		}
	case pointerWire:
		if k := n.elem.kind; k != messageWire && k != customWire && k != stringWire {
			return false
		}
	default:
		return false
	}
	return w.part(n, content, p, func() bool {
		if n.kind == messageWire {
			return w.message(n, content, p, below)
		}
		value := reflect.New(n.elem.typ).UnsafePointer()
		*(*unsafe.Pointer)(p) = value
		w.written.note(n.elem.writes.Itself)
		return w.fill(value, func() bool {
			if n.elem.kind == messageWire {
				return w.message(n.elem, content, value, below)
			}
			return w.content(n.elem, content, value)
		})
	})
}

// fill has decode fill the memory at base.
func (w *wireWalk) fill(base unsafe.Pointer, decode func() bool) bool {
	before := w.base
	w.base = base
	ok := decode()
	w.base = before
	return ok
}

// part makes the value at p one that was decoded before, or else what decode makes it.
func (w *wireWalk) part(n *wireNode, text []byte, p unsafe.Pointer, decode func() bool) bool {
	if w.own || !n.shares || len(text) < n.minimum || !w.budget.take(len(text)) {
		return decode()
	}
	l, ok := w.shared.reuse(n.node, formatProto, text, p)
	if ok {
		return true
	}
	before := w.written
	if !decode() {
		return false
	}
	if w.written == before {
		w.shared.keep(&l, n.node, p, w.base)
	}
	return true
}

// records are those of one field, which are whole, and of one type.
type records struct {
	of    protowire.Type
	count int
	text  []byte
}

// repeated decodes a slice or map.
func (w *wireWalk) repeated(n *wireNode, all records, p unsafe.Pointer) bool {
	return w.part(n, all.text, p, func() bool {
		if n.kind == mapWire {
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

func (w *wireWalk) slice(n *wireNode, all records, p unsafe.Pointer) bool {
	if n.elem.kind == sliceWire || n.elem.kind == mapWire || all.of == protowire.BytesType && n.elem.kind < stringWire {
		return false // packed numbers, which Kubernetes does not write, among others
	}
	array, size := n.makeArray(all.count), n.elem.typ.Size()
	*(*slice)(p) = slice{array, all.count, all.count}
	w.written.note(n.elem.writes.Itself)
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

func (w *wireWalk) mapping(n *wireNode, all records, p unsafe.Pointer) bool {
	if all.of != protowire.BytesType || n.elem.kind == sliceWire || n.elem.kind == mapWire {
		return false
	}
	var m reflect.Value
	var stringMap map[string]string
	if n.node.kind == stringMapKind {
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
