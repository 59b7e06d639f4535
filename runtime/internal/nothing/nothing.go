// Package nothing recognises values that are nil, also behind an interface.
package nothing

import "reflect"

// Is reports whether v is nil, or a nil pointer. Methods of a nil pointer would panic.
func Is(v any) bool {
	value := reflect.ValueOf(v)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}
