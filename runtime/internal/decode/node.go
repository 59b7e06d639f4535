package decode

import (
	"encoding"
	stdjson "encoding/json"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// node says how to decode a Go type.
type node struct {
	typ reflect.Type
	// kind says how to read the type in JSON, and wire how to read it in protobuf.
	kind kind
	wire wireKind
	// id is mixed into hashes.
	id uint64
	// bits is the size of a number.
	bits int
	// elem is the type that a pointer points to, or a slice or map holds.
	elem *node
	// key is the type of the keys of a map.
	key reflect.Type
	// fields are the fields of a struct, in their order, and byName their places.
	fields []field
	byName map[string]int
	// numbers are the fields of a protobuf message by their number, with nil for a number without a field.
	numbers []*wireField
	// shares reports whether a value refers to memory that may be shared, and minimum is the length of the
	// shortest text for which it is.
	shares  bool
	minimum int
	// writes says to which memory methods write that only read a value.
	writes decoding.Writes
	// slices are the offsets of the slices in a value. contents are the offsets of maps with any content in
	// a value of a known type. A value that decodes itself may leave slices with spare capacity, also in
	// such maps.
	slices, contents []uintptr
}

type field struct {
	name   string
	offset uintptr
	node   *node
}

type kind uint8

const (
	// foreign types are decoded by apimachinery's util/json.
	foreign kind = iota
	boolKind
	intKind
	uintKind
	floatKind
	stringKind
	bytesKind
	timeKind
	anyKind
	// unmarshalerKind are types that decode themselves.
	unmarshalerKind
	// The kinds below may refer to shared memory.
	pointerKind
	sliceKind
	stringsKind   // []string
	stringMapKind // map[string]string
	anyMapKind    // map[string]any
	mapKind
	structKind
)

// nodes has the node of each type that was used, for the whole process.
var nodes = struct {
	mu sync.Mutex
	of map[reflect.Type]*node
}{of: map[reflect.Type]*node{}}

// nodeOf returns the node of a type.
func nodeOf(t reflect.Type) *node {
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	return nodeLocked(t)
}

func nodeLocked(t reflect.Type) *node {
	if n := nodes.of[t]; n != nil {
		return n
	}
	n := &node{typ: t, id: (uint64(len(nodes.of)) + 1) << 16}
	nodes.of[t] = n // before what it is made of, which may refer to it
	n.writes, n.slices = decoding.WritesOf(t), partsOf(t, isSlice)
	if n.writes.Known { // the map of another type may belong to more than the value
		n.contents = partsOf(t, isContent)
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		n.elem = nodeLocked(t.Elem())
	}
	n.kind, n.wire = n.analyze(), n.analyzeWire()
	n.shares = n.shares && n.kind >= pointerKind && !n.writes.Itself
	if n.minimum = minimumPart; n.kind == structKind {
		n.minimum = minimumStruct
	}
	return n
}

var (
	jsonUnmarshaler = reflect.TypeFor[stdjson.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType        = reflect.TypeFor[metav1.Time]()
)

// analyze fills in the components of the type, and returns its kind.
func (n *node) analyze() kind {
	t := n.typ
	pointer := reflect.PointerTo(t)
	switch {
	case t == timeType:
		return timeKind
	case pointer.Implements(jsonUnmarshaler):
		return unmarshalerKind
	case pointer.Implements(textUnmarshaler) || t == reflect.TypeFor[stdjson.Number]():
		return foreign
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.bits = t.Bits()
		return intKind
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.bits = t.Bits()
		return uintKind
	case reflect.Float32, reflect.Float64:
		n.bits = t.Bits()
		return floatKind
	case reflect.String:
		return stringKind
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anyKind
		}
		return foreign
	case reflect.Pointer:
		n.shares = t.Elem().Size() > 0 && !n.elem.writes.Itself
		return pointerKind
	case reflect.Slice:
		return n.analyzeSlice()
	case reflect.Map:
		return n.analyzeMap()
	case reflect.Struct:
		return n.analyzeStruct()
	}
	return foreign
}

func isSlice(t reflect.Type) bool { return t.Kind() == reflect.Slice }

func isContent(t reflect.Type) bool { return t == reflect.TypeFor[map[string]any]() }

// partsOf returns the offsets of certain parts of a value of t: the value itself or its fields.
func partsOf(t reflect.Type, is func(reflect.Type) bool) (offsets []uintptr) {
	if is(t) {
		return []uintptr{0}
	}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if f := t.Field(i); is(f.Type) {
			offsets = append(offsets, f.Offset)
		}
	}
	return offsets
}

func (n *node) analyzeSlice() kind {
	t := n.typ
	n.shares = t.Elem().Size() > 0 && !n.elem.writes.Itself
	switch {
	case t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() != "":
		return foreign
	case t.Elem().Kind() == reflect.Uint8:
		return bytesKind
	}
	if t == reflect.TypeFor[[]string]() {
		return stringsKind
	}
	return sliceKind
}

func (n *node) analyzeMap() kind {
	t := n.typ
	if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textUnmarshaler) {
		return foreign
	}
	n.key, n.shares = t.Key(), true
	switch t {
	case reflect.TypeFor[map[string]string]():
		return stringMapKind
	case reflect.TypeFor[map[string]any]():
		return anyMapKind
	}
	return mapKind
}

// analyzeStruct finds the fields by the names that encoding/json gives them. If two fields compete for a
// name by its rules, the type is foreign.
func (n *node) analyzeStruct() kind {
	if !n.addFields(n.typ, 0) || len(n.fields) > 64 {
		return foreign
	}
	n.byName = make(map[string]int, len(n.fields))
	for i, f := range n.fields {
		if _, twice := n.byName[f.name]; twice {
			return foreign
		}
		n.byName[f.name] = i
		n.shares = n.shares || f.node.shares || f.node.kind == stringKind
	}
	return structKind
}

func (n *node) addFields(t reflect.Type, offset uintptr) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		for option := range strings.SplitSeq(options, ",") {
			if option == "string" {
				return false
			}
		}
		switch {
		case f.Anonymous && name == "":
			// An embedded pointer would need an allocation. A type that decodes itself or is no struct
			// counts as a field.
			if f.Type.Kind() != reflect.Struct || f.Type == timeType ||
				reflect.PointerTo(f.Type).Implements(jsonUnmarshaler) || reflect.PointerTo(f.Type).Implements(textUnmarshaler) {
				return false
			}
			if !n.addFields(f.Type, offset+f.Offset) {
				return false
			}
			continue
		case !f.IsExported():
			return false
		case name == "":
			name = f.Name
		}
		if !plain(name) {
			return false
		}
		n.fields = append(n.fields, field{name, offset + f.Offset, nodeLocked(f.Type)})
	}
	return true
}

// plain reports whether encoding/json takes a name as it is, and a text has the name without escapes.
func plain(name string) bool {
	for _, c := range name {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.$/", c) {
			continue
		}
		return false
	}
	return name != ""
}

// field returns the place of the field with a name, or a negative number. Texts mostly have the fields in
// their order, so it looks first at the field after the last one.
func (n *node) field(name []byte, last int) int {
	if next := last + 1; next < len(n.fields) && n.fields[next].name == string(name) {
		return next
	}
	if i, ok := n.byName[string(name)]; ok {
		return i
	}
	return -1
}
