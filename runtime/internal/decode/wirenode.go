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
	// unknownWire types can't be decoded by this package.
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

// wireField is a field of a message.
type wireField struct {
	*node
	offset uintptr
	// bit is the field's bit in a set of the message's fields.
	bit uint64
}

// unmarshaler has the method of the types of k8s.io/api.
type unmarshaler interface {
	Unmarshal([]byte) error
}

// analyzeWire returns how the type is written, and fills in the fields of a message. Types whose fields all
// have a number are decoded by this package. Other types decode themselves, if they can.
func (n *node) analyzeWire() wireKind {
	t := n.typ
	custom := reflect.PointerTo(t).Implements(reflect.TypeFor[unmarshaler]())
	switch t.Kind() {
	case reflect.Struct:
		if n.analyzeMessage() {
			return messageWire
		}
	case reflect.Pointer:
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
		return sliceWire
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return mapWire
		}
	}
	return unknownWire
}

// analyzeMessage finds the fields of a struct by their numbers.
func (n *node) analyzeMessage() bool {
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
		for len(n.numbers) <= number {
			n.numbers = append(n.numbers, nil)
		}
		if n.numbers[number] != nil {
			return false
		}
		n.numbers[number] = &wireField{nodeLocked(f.Type), f.Offset, 1 << i}
	}
	return len(n.numbers) > 0
}
