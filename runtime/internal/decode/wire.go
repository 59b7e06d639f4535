package decode

import (
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// formatProto is the wire format of protobuf. What identifies a list or map in it are all
// of its fields, with their tags.
const formatProto format = 2

// wireKind is how a Go type is written in protobuf.
type wireKind uint8

const (
	// unknownWire types can't be decoded here.
	unknownWire wireKind = iota
	boolWire
	intWire
	uintWire
	doubleWire
	floatWire
	stringWire
	bytesWire
	messageWire
	// customWire types decode themselves.
	customWire
	pointerWire
	sliceWire
	mapWire
)

// Wire types, the lowest three bits of a tag.
const (
	varint  = 0
	fixed64 = 1
	bytes_  = 2
	fixed32 = 5
)

// wireNode says how to decode a Go type from protobuf.
type wireNode struct {
	*node
	kind wireKind
	// elem is what a pointer points to, or a slice or map holds.
	elem *wireNode
	// fields are those of a message, by their number; nil where there is none.
	fields []*wireField
}

type wireField struct {
	*wireNode
	offset uintptr
	// bit is that of the field among those of its message.
	bit uint64
}

// unmarshaler is what the types of k8s.io/api have.
type unmarshaler interface {
	Unmarshal([]byte) error
}

var wireNodes struct {
	mu sync.Mutex
	of map[reflect.Type]*wireNode
}

func wireNodeOf(t reflect.Type) *wireNode {
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	wireNodes.mu.Lock()
	defer wireNodes.mu.Unlock()
	if wireNodes.of == nil {
		wireNodes.of = map[reflect.Type]*wireNode{}
	}
	if nodes.of == nil {
		nodes.of = map[reflect.Type]*node{}
	}
	return wireNodeLocked(t)
}

func wireNodeLocked(t reflect.Type) *wireNode {
	if n := wireNodes.of[t]; n != nil {
		return n
	}
	n := &wireNode{node: nodeLocked(t)}
	wireNodes.of[t] = n
	n.kind = n.analyze()
	return n
}

// analyze fills in what the type is made of, and returns its kind. Types whose fields all
// have a number are decoded here, and others decode themselves, if they can.
func (n *wireNode) analyze() wireKind {
	t := n.typ
	custom := reflect.PointerTo(t).Implements(reflect.TypeFor[unmarshaler]())
	switch t.Kind() {
	case reflect.Struct:
		if n.analyzeMessage() {
			return messageWire
		}
	case reflect.Pointer:
		n.elem = wireNodeLocked(t.Elem())
		return pointerWire
	}
	if custom {
		return customWire
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolWire
	case reflect.Int32, reflect.Int64:
		return intWire
	case reflect.Uint32, reflect.Uint64:
		return uintWire
	case reflect.Float64:
		return doubleWire
	case reflect.Float32:
		return floatWire
	case reflect.String:
		return stringWire
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesWire
		}
		n.elem = wireNodeLocked(t.Elem())
		return sliceWire
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			n.elem = wireNodeLocked(t.Elem())
			return mapWire
		}
	}
	return unknownWire
}

// analyzeMessage finds the fields of a struct by their numbers.
func (n *wireNode) analyzeMessage() bool {
	if n.typ.NumField() > 64 {
		return false
	}
	for i := range n.typ.NumField() {
		f := n.typ.Field(i)
		tag, tagged := f.Tag.Lookup("protobuf")
		if !tagged && f.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue // is in the envelope
		}
		parts := strings.SplitN(tag, ",", 3)
		if len(parts) < 3 || !f.IsExported() {
			return false
		}
		number, err := strconv.Atoi(parts[1])
		if err != nil || number < 1 || number > 1<<10 {
			return false
		}
		for len(n.fields) <= number {
			n.fields = append(n.fields, nil)
		}
		if n.fields[number] != nil {
			return false
		}
		n.fields[number] = &wireField{wireNodeLocked(f.Type), f.Offset, 1 << i}
	}
	return len(n.fields) > 0
}

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
	w := wireWalk{shared: p.Shared, own: p.Exclusive, dropManagedFields: p.DropManagedFields}
	return w.message(p.root, message, pointer, root)
}

// wireWalk is the decoding of one message.
type wireWalk struct {
	shared *Shared
	own    bool

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
	var seen uint64
	for at := 0; at < len(message); {
		tag, length := binary.Uvarint(message[at:])
		if length <= 0 {
			return false
		}
		begin := at
		at += length
		end := endOfField(message, at, tag)
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
			if end < 0 || !w.repeated(f.wireNode, tag, message[begin:end], into) {
				return false
			}
		case level == root && f.kind == messageWire && tag == metadataField<<3|bytes_:
			content, ok := contentOf(message[at:end])
			if !ok || !w.message(f.wireNode, content, into, metadata) {
				return false
			}
		default:
			if !w.single(f.wireNode, tag, message[at:end], into) {
				return false
			}
		}
		at = end
	}
	return true
}

func (n *wireNode) field(number uint64) *wireField {
	if number >= uint64(len(n.fields)) {
		return nil
	}
	return n.fields[number]
}

// endOfField returns the offset behind the value that begins there, or a negative number.
func endOfField(message []byte, at int, tag uint64) int {
	size := 0
	switch tag & 7 {
	case varint:
		_, size = binary.Uvarint(message[at:])
		if size <= 0 {
			return -1
		}
	case fixed64:
		size = 8
	case fixed32:
		size = 4
	case bytes_:
		length, n := binary.Uvarint(message[at:])
		if n <= 0 || length > uint64(len(message)) {
			return -1
		}
		size = n + int(length)
	default:
		return -1
	}
	if size > len(message)-at {
		return -1
	}
	return at + size
}

// endOfRepeated returns the offset behind the fields of that tag that begin there.
func endOfRepeated(message []byte, at int, tag uint64) int {
	for at < len(message) {
		next, length := binary.Uvarint(message[at:])
		if length <= 0 || next != tag {
			break
		}
		if at = endOfField(message, at+length, tag); at < 0 {
			return -1
		}
	}
	return at
}

// contentOf returns what follows a length.
func contentOf(field []byte) ([]byte, bool) {
	length, n := binary.Uvarint(field)
	if n <= 0 || uint64(len(field)-n) != length {
		return nil, false
	}
	return field[n:], true
}

// single decodes the value of one field, which has the tag before it.
func (w *wireWalk) single(n *wireNode, tag uint64, field []byte, p unsafe.Pointer) bool {
	switch tag & 7 {
	case varint:
		v, length := binary.Uvarint(field)
		return length > 0 && n.setVarint(v, p)
	case fixed64:
		return n.set64(binary.LittleEndian.Uint64(field), p)
	case fixed32:
		return n.set32(binary.LittleEndian.Uint32(field), p)
	}
	content, ok := contentOf(field)
	return ok && w.content(n, content, p)
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
		*(*string)(p) = w.shared.strings.get(content)
		return true
	case bytesWire:
		*(*[]byte)(p) = append([]byte{}, content...)
		return true
	case customWire:
		return reflect.NewAt(n.typ, p).Interface().(unmarshaler).Unmarshal(content) == nil
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
		if n.elem.kind == messageWire {
			return w.message(n.elem, content, value, below)
		}
		return w.content(n.elem, content, value)
	})
}

// part makes the value at p one that was decoded before, or else what decode makes it.
func (w *wireWalk) part(n *wireNode, text []byte, p unsafe.Pointer, decode func() bool) bool {
	if w.own || !n.shares || len(text) < minimumPart {
		return decode()
	}
	found, l, ok := w.shared.parts.find(n.node, formatProto, text)
	if ok {
		n.put(p, found)
		w.shared.found(len(text))
		return true
	}
	if !decode() {
		return false
	}
	if l.again {
		w.shared.parts.add(&l, n.part(p))
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

// eachField calls each for the values of fields of one tag.
func eachField(fields []byte, tag uint64, each func(field []byte) bool) bool {
	for at := 0; at < len(fields); {
		_, length := binary.Uvarint(fields[at:])
		end := endOfField(fields, at+length, tag)
		if !each(fields[at+length : end]) {
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
	eachField(fields, tag, func([]byte) bool { length++; return true })
	array, size := n.makeArray(length), n.elem.typ.Size()
	*(*slice)(p) = slice{array, length, length}
	i := uintptr(0)
	return eachField(fields, tag, func(field []byte) bool {
		i++
		return w.single(n.elem, tag, field, unsafe.Add(array, (i-1)*size))
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
	eachField(fields, tag, func([]byte) bool { length++; return true })
	var m reflect.Value
	var stringMap map[string]string
	if n.node.kind == stringMapKind {
		stringMap = make(map[string]string, length)
		*(*map[string]string)(p) = stringMap
	} else {
		m = reflect.MakeMapWithSize(n.typ, length)
		reflect.NewAt(n.typ, p).Elem().Set(m)
	}
	return eachField(fields, tag, func(field []byte) bool {
		entry, ok := contentOf(field)
		if !ok {
			return false
		}
		key, value, valueTag, ok := keyAndValue(entry)
		if !ok {
			return false
		}
		if stringMap != nil {
			content, ok := contentOf(value)
			stringMap[w.shared.strings.get(key)] = w.shared.strings.get(content)
			return ok && valueTag&7 == bytes_
		}
		elem := reflect.New(n.elem.typ)
		if n.elem.typ.Kind() == reflect.Slice {
			elem.Elem().Set(reflect.MakeSlice(n.elem.typ, 0, 0)) // as in generated code
		}
		if !w.single(n.elem, valueTag, value, elem.UnsafePointer()) {
			return false
		}
		m.SetMapIndex(reflect.ValueOf(w.shared.strings.get(key)).Convert(n.typ.Key()), elem.Elem())
		return true
	})
}

// keyAndValue splits an entry of a map, which must have both.
func keyAndValue(entry []byte) (key, value []byte, tag uint64, ok bool) {
	if len(entry) == 0 || entry[0] != keyTag {
		return nil, nil, 0, false
	}
	end := endOfField(entry, 1, keyTag)
	if end < 0 || end == len(entry) {
		return nil, nil, 0, false
	}
	key, ok = contentOf(entry[1:end])
	tag = uint64(entry[end])
	if !ok || tag&^7 != valueTag || endOfField(entry, end+1, tag) != len(entry) {
		return nil, nil, 0, false
	}
	return key, entry[end+1:], tag, true
}
