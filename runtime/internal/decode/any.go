package decode

import (
	"reflect"
	"strconv"
	"unsafe"
)

// Objects and arrays without a Go type.
var (
	anyObject = nodeOf(reflect.TypeFor[map[string]any]())
	anyArray  = nodeOf(reflect.TypeFor[[]any]())
)

// any decodes a value without a Go type to a string, bool, int64, float64, nil, map[string]any or []any,
// like apimachinery's util/json.
func (w *walk) any() (any, bool) {
	switch w.text[w.at] {
	case '"':
		return w.string()
	case '{':
		var object map[string]any
		ok := w.value(anyObject, unsafe.Pointer(&object))
		return object, ok
	case '[':
		var array []any
		ok := w.value(anyArray, unsafe.Pointer(&array))
		return array, ok
	}
	switch text := string(w.skip()); text {
	case "null":
		return nil, true
	case "true":
		return true, true
	case "false":
		return false, true
	default:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil
	}
}

func (w *walk) anyMap(at level) (map[string]any, bool) {
	members := w.open()
	m := make(map[string]any, members)
	for range members {
		key, ok := w.key()
		if !ok {
			return nil, false
		}
		if at == metadata && w.dropManagedFields && key == managedFields {
			w.skip()
			w.after()
			continue
		}
		var value any
		if at == root && key == "metadata" && w.text[w.at] == '{' {
			value, ok = w.anyMap(metadata)
		} else {
			value, ok = w.any()
		}
		if !ok {
			return nil, false
		}
		m[key] = value
		w.after()
	}
	return m, true
}
