package decode

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// formatProto is the wire format of protobuf. What identifies a list or map in it are all
// of its fields, with their tags.
const formatProto format = 2

// Wire types, the lowest three bits of a tag.
const (
	varint  = 0
	fixed64 = 1
	bytes_  = 2
	fixed32 = 5
)

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
		tag, length := binary.Uvarint(message[at:])
		if length <= 0 || !legal(tag) {
			return false
		}
		value, end := readValue(message, at+length, tag)
		if end < 0 {
			return false
		}
		f := n.field(tag >> 3)
		if f == nil || level == metadata && w.dropManagedFields && tag>>3 == managedFieldsField {
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
			end = endOfRepeated(message, end, tag)
			if end < 0 || !w.repeated(f.wireNode, tag, message[at:end], into) {
				return false
			}
		case level == root && f.kind == messageWire && tag == metadataField<<3|bytes_:
			if !w.message(f.wireNode, value.content, into, metadata) {
				return false
			}
		default:
			if !w.single(f.wireNode, tag, value, into) {
				return false
			}
		}
		at = end
	}
	return true
}

// legal reports whether the number of the field is one: generated code takes it for an int32,
// and fails if that is not positive.
func legal(tag uint64) bool { return tag>>3 > 0 && tag>>3 <= math.MaxInt32 }

func (n *wireNode) field(number uint64) *wireField {
	if number >= uint64(len(n.fields)) {
		return nil
	}
	return n.fields[number]
}

// value is that of a field: a number, or what has a length.
type value struct {
	number  uint64
	content []byte
}

// readValue reads the value that begins there, and returns the offset behind it, which is
// negative if it is damaged.
func readValue(message []byte, at int, tag uint64) (v value, end int) {
	message = message[at:]
	switch tag & 7 {
	case varint:
		number, n := binary.Uvarint(message)
		if n > 0 {
			return value{number: number}, at + n
		}
	case fixed64:
		if len(message) >= 8 {
			return value{number: binary.LittleEndian.Uint64(message)}, at + 8
		}
	case fixed32:
		if len(message) >= 4 {
			return value{number: uint64(binary.LittleEndian.Uint32(message))}, at + 4
		}
	case bytes_:
		length, n := binary.Uvarint(message)
		if n > 0 && length <= uint64(len(message)-n) {
			end := n + int(length)
			return value{content: message[n:end]}, at + end
		}
	}
	return value{}, -1
}

// endOfRepeated returns the offset behind the fields of that tag that begin there.
func endOfRepeated(message []byte, at int, tag uint64) int {
	for at < len(message) {
		next, length := binary.Uvarint(message[at:])
		if length <= 0 || next != tag {
			break
		}
		if _, at = readValue(message, at+length, tag); at < 0 {
			return -1
		}
	}
	return at
}

// single decodes the value of one field of that tag.
func (w *wireWalk) single(n *wireNode, tag uint64, v value, p unsafe.Pointer) bool {
	switch tag & 7 {
	case varint:
		return n.setVarint(v.number, p)
	case fixed64:
		return n.set64(v.number, p)
	case fixed32:
		return n.set32(uint32(v.number), p)
	}
	return w.content(n, v.content, p)
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
	case (n.kind == intWire || n.kind == uintWire) && n.typ.Size() == 8:
		*(*uint64)(p) = v
	case n.kind == intWire || n.kind == uintWire:
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

// repeated decodes the fields of a slice or map, with their tags.
func (w *wireWalk) repeated(n *wireNode, tag uint64, fields []byte, p unsafe.Pointer) bool {
	return w.part(n, fields, p, func() bool {
		if n.kind == mapWire {
			return w.mapping(n, tag, fields, p)
		}
		return w.slice(n, tag, fields, p)
	})
}

// eachField calls each for the values of fields of one tag, which are whole.
func eachField(fields []byte, tag uint64, each func(v value) bool) bool {
	for at := 0; at < len(fields); {
		_, length := binary.Uvarint(fields[at:])
		v, end := readValue(fields, at+length, tag)
		if !each(v) {
			return false
		}
		at = end
	}
	return true
}

func (w *wireWalk) slice(n *wireNode, tag uint64, fields []byte, p unsafe.Pointer) bool {
	if n.elem.kind == sliceWire || n.elem.kind == mapWire || tag&7 == bytes_ && n.elem.kind < stringWire {
		return false // packed numbers, which Kubernetes does not write, among others
	}
	length := 0
	eachField(fields, tag, func(value) bool { length++; return true })
	array, size := n.makeArray(length), n.elem.typ.Size()
	*(*slice)(p) = slice{array, length, length}
	w.written.note(n.elem.writes.Itself && length > 0)
	i := uintptr(0)
	return w.fill(array, func() bool {
		return eachField(fields, tag, func(v value) bool {
			i++
			return w.single(n.elem, tag, v, unsafe.Add(array, (i-1)*size))
		})
	})
}

// Fields of an entry of a map.
const (
	keyTag   = 1<<3 | bytes_
	valueTag = 2 << 3 // and a wire type
)

func (w *wireWalk) mapping(n *wireNode, tag uint64, fields []byte, p unsafe.Pointer) bool {
	if tag&7 != bytes_ || n.elem.kind == sliceWire || n.elem.kind == mapWire {
		return false
	}
	length := 0
	eachField(fields, tag, func(value) bool { length++; return true })
	var m reflect.Value
	var stringMap map[string]string
	if n.node.kind == stringMapKind {
		stringMap = make(map[string]string, length)
		*(*map[string]string)(p) = stringMap
	} else {
		m = reflect.MakeMapWithSize(n.typ, length)
		reflect.NewAt(n.typ, p).Elem().Set(m)
	}
	return eachField(fields, tag, func(entry value) bool {
		key, valueTag, v, ok := keyAndValue(entry.content)
		if !ok {
			return false
		}
		if stringMap != nil {
			stringMap[w.strings.string(key)] = w.strings.string(v.content)
			return valueTag&7 == bytes_
		}
		elem := reflect.New(n.elem.typ)
		if n.elem.typ.Kind() == reflect.Slice {
			elem.Elem().Set(reflect.MakeSlice(n.elem.typ, 0, 0)) // as in generated code
		}
		if !w.fill(nil, func() bool { return w.single(n.elem, valueTag, v, elem.UnsafePointer()) }) {
			return false
		}
		m.SetMapIndex(reflect.ValueOf(w.strings.string(key)).Convert(n.typ.Key()), elem.Elem())
		return true
	})
}

// keyAndValue splits an entry of a map, which must have both.
func keyAndValue(entry []byte) (key []byte, tag uint64, v value, ok bool) {
	if len(entry) == 0 || entry[0] != keyTag {
		return nil, 0, value{}, false
	}
	k, end := readValue(entry, 1, keyTag)
	if end < 0 || end == len(entry) || entry[end]&^7 != valueTag {
		return nil, 0, value{}, false
	}
	tag = uint64(entry[end])
	v, end = readValue(entry, end+1, tag)
	return k.content, tag, v, end == len(entry)
}
