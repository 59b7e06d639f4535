// Package reader reads the stores of runtime/cache without naming the type of their objects. It is for code
// that is generated for many types. Where cache.Store[T] is named, all of its methods are compiled. Get,
// List and ByIndex are compiled one by one.
package reader

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"k8s.io/apimachinery/pkg/types"
)

// Reader reads a store. It has the methods of cache.Store, with other results.
type Reader interface {
	// ObjectType returns the type that the store was made for.
	ObjectType() reflect.Type
	// All iterates over the objects of a namespace, or over all objects for "".
	All(namespace string) iter.Seq[any]
	Get(key types.NamespacedName) (any, bool)
	// Find is Get, but returns failure.ErrLeftOut for an object that exists and could not be taken.
	Find(key types.NamespacedName) (obj any, exists bool, err error)
	List(namespace string) Objects
	ByIndex(name, value string) (Objects, error)
	ByIndexAny(name string, values []string) (Objects, error)
	// AllByIndex iterates over the objects that have a value in an index now.
	AllByIndex(name, value string) (iter.Seq[any], error)
}

// Provider is an indexer over a store of runtime/cache.
type Provider interface {
	// CoreReader returns a reader of the store, if there is one.
	CoreReader() (Reader, bool)
}

// Objects holds objects of a store, in the form of its table. The memory of Words belongs to the owner of
// the Objects.
type Objects struct {
	Words []unsafe.Pointer
	Form  Form
}

// Form says how a table holds its objects.
type Form interface {
	// Unpack returns the object of a word.
	Unpack(word unsafe.Pointer) any
	// Only reports whether all objects are of the Go type of an example.
	Only(example any) bool
}

// Get returns the object of a key in a store that was made for Ts.
func Get[T any](r Reader, key types.NamespacedName) (obj T, ok bool) {
	found, ok := r.Get(key)
	if ok {
		obj, ok = To[T](found)
	}
	return obj, ok
}

// List returns the objects of a namespace, or all for "", in a store that was made for Ts.
func List[T any](r Reader, namespace string) []T { return Slice[T](r.List(namespace)) }

// ByIndex returns the objects that have at least one of the values in an index, each once, in a store that
// was made for Ts.
func ByIndex[T any](r Reader, name string, values ...string) ([]T, error) {
	if len(values) == 1 {
		found, err := r.ByIndex(name, values[0])
		return Slice[T](found), err
	}
	found, err := r.ByIndexAny(name, slices.Clone(values)) // a copy, so that one value needs no memory
	return Slice[T](found), err
}

// Slice returns objects as Ts. It leaves out objects of another type, and returns nil if there are none. If
// T is a pointer, the result uses the memory of o.
func Slice[T any](o Objects) []T {
	if len(o.Words) == 0 {
		return nil
	}
	if pointers, ok := Pointers[T](o.Words, o.Form); ok {
		return pointers
	}
	list := make([]T, 0, len(o.Words))
	for _, word := range o.Words {
		if t, ok := To[T](o.Form.Unpack(word)); ok {
			list = append(list, t)
		}
	}
	return list
}

// Pointers returns the words of Ts as Ts, if T is a pointer: the word of a pointer is the pointer. It
// returns false if there may be objects of another type, which an informer's transform can make.
func Pointers[T any](words []unsafe.Pointer, form Form) ([]T, bool) {
	var example T
	if reflect.TypeFor[T]().Kind() != reflect.Pointer || len(words) > 0 && !form.Only(example) {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), len(words)), true
}

// As returns an object as a T. It must be a T or nil.
func As[T any](obj any) (t T) {
	t, _ = obj.(T) // nil becomes the zero T
	return t
}

// To returns an object as a T, and whether it is one. Nil counts, and becomes the zero T.
func To[T any](obj any) (t T, ok bool) {
	t, ok = obj.(T)
	return t, ok || obj == nil
}
