package footprint

import (
	"reflect"
	"strings"
)

// shape holds the facts about a type that a walk needs.
type shape struct {
	kind reflect.Kind
	// size is the size of a value, without the memory that it refers to.
	size int64
	// refers reports whether values may refer to memory, and nilable whether the zero value refers to none.
	refers, nilable bool
	// key and elem are the key and the element of a map, a slice, an array or a pointer.
	key, elem *shape
	// names reports whether the keys of a map are names of fields.
	names bool
	// fields are the exported fields of a struct that may refer to memory. Memory behind other fields
	// belongs to the type's methods, which may write to it, or to the whole program: time zones,
	// descriptors of protobuf.
	fields []field
}

type field struct {
	index int
	// name is the name in JSON. It is empty for a field whose content is the struct's.
	name string
	of   *shape
}

func (w *walk) shapeOf(t reflect.Type) *shape {
	if s := w.shapes[t]; s != nil {
		return s
	}
	s := &shape{kind: t.Kind(), size: int64(t.Size())}
	w.shapes[t] = s // for a type that refers to itself
	switch s.kind {
	case reflect.String, reflect.Interface:
		s.refers, s.nilable = true, true
	case reflect.Pointer, reflect.Slice:
		s.refers, s.nilable = true, true
		s.elem = w.shapeOf(t.Elem())
	case reflect.Map:
		s.refers, s.nilable = true, true
		s.key, s.elem = w.shapeOf(t.Key()), w.shapeOf(t.Elem())
		s.names = s.key.kind == reflect.String && s.elem.kind == reflect.Interface
	case reflect.Array:
		s.elem = w.shapeOf(t.Elem())
		s.refers = s.elem.refers
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && (!f.Anonymous || f.Type.Kind() != reflect.Struct) {
				continue
			}
			if of := w.shapeOf(f.Type); of.refers {
				s.fields = append(s.fields, field{i, nameOf(f), of})
			}
		}
		s.refers = len(s.fields) > 0
	}
	return s
}

// nameOf returns the name of a field in JSON, or "" if its content counts as the struct's.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "" && f.Anonymous, name == "" && f.Type == reflect.TypeFor[map[string]any]():
		return "" // an object without a Go type consists of such a map
	case name == "" || name == "-":
		return f.Name
	}
	return name
}

// rounded returns the memory that an allocation takes: the allocator has sizes in steps of about an eighth.
func rounded(bytes int64) int64 {
	step := int64(8)
	for 8*step < bytes {
		step *= 2
	}
	return (bytes + step - 1) / step * step
}

// sizeOfMap returns the size of a map's header and its groups of eight entries. At most seven of the eight
// are used on average.
func sizeOfMap(length int, of *shape) int64 {
	const header, control, group = 48, 8, 8
	entry := of.key.size + of.elem.size
	groups := int64(1)
	for length > group && groups*7 < int64(length) {
		groups *= 2
	}
	if length == 0 {
		return header
	}
	return header + groups*(control+group*entry)
}
