package decode

import (
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wireKind says how a Go type is written in protobuf.
type wireKind uint8

const (
	// unknownWire types can't be decoded here.
	unknownWire wireKind = iota
	boolWire
	intWire
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

// wireNode says how to decode a Go type from protobuf.
type wireNode struct {
	*node
	kind wireKind
	// elem is the type that a pointer points to, or a slice or map holds.
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

// unmarshaler has the method of the types of k8s.io/api.
type unmarshaler interface {
	Unmarshal([]byte) error
}

func wireNodeOf(t reflect.Type) *wireNode {
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	return wireNodeLocked(t)
}

func wireNodeLocked(t reflect.Type) *wireNode {
	if n := nodes.wire[t]; n != nil {
		return n
	}
	n := &wireNode{node: nodeLocked(t)}
	nodes.wire[t] = n
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
	case reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return intWire
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
