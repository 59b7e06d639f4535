package decoding

import "reflect"

// Readable reports whether an object can be read while its users read it too. It can't if reading it writes
// to it: a resource.Quantity caches its text when it is printed. Readable does not read such memory.
func Readable(obj any) bool { return reading{}.value(reflect.ValueOf(obj)) }

// reading remembers which parts of an object it has looked at, since an object may refer to itself.
type reading map[readPart]bool

type readPart struct {
	typ    reflect.Type
	at     uintptr
	length int
}

func (r reading) value(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	writes := WritesOf(v.Type())
	switch {
	case writes.Opaque || writes.Itself && v.CanAddr():
		return false
	case writes.Known:
		return true
	}
	switch v.Kind() {
	case reflect.Interface:
		return r.value(v.Elem())
	case reflect.Struct:
		return r.values(v.NumField(), v.Field)
	case reflect.Array:
		return r.values(v.Len(), v.Index)
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return r.reference(v)
	}
	return true
}

// reference is value for a pointer, map or slice.
func (r reading) reference(v reflect.Value) bool {
	part := readPart{typ: v.Type(), at: v.Pointer()}
	if v.Kind() == reflect.Slice {
		part.length = v.Len()
	}
	if v.IsNil() || r[part] || WritesOf(v.Type().Elem()) == (Writes{Known: true}) {
		return true
	}
	r[part] = true
	switch v.Kind() {
	case reflect.Pointer:
		return r.value(v.Elem())
	case reflect.Slice:
		return r.values(v.Len(), v.Index)
	}
	entries := v.MapRange()
	return r.values(v.Len(), func(int) reflect.Value {
		entries.Next()
		return entries.Value() // a copy, which is not addressable
	})
}

func (r reading) values(n int, at func(i int) reflect.Value) bool {
	for i := range n {
		if !r.value(at(i)) {
			return false
		}
	}
	return true
}
