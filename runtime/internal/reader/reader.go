// Package reader reads the stores of runtime/cache without naming the type of their
// objects. It is for code that is generated for many types: where cache.Store[T] is
// named, all of its methods are compiled, while Get, List and ByIndex are compiled one by
// one.
package reader

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"k8s.io/apimachinery/pkg/types"
)

// Reader reads a store. Its methods are those of cache.Store with other results.
type Reader interface {
	// ObjectType returns the type that the store was made for.
	ObjectType() reflect.Type
	// All iterates over the objects of a namespace, or all of them for the empty one.
	All(namespace string) iter.Seq[any]
	Get(key types.NamespacedName) (any, bool)
	// Find is Get with failure.ErrLeftOut for an object that exists and could not be taken.
	Find(key types.NamespacedName) (obj any, exists bool, err error)
	List(namespace string) Objects
	ByIndex(name, value string) (Objects, error)
	ByIndexAny(name string, values []string) (Objects, error)
	// AllByIndex iterates over the objects that have that value in an index now.
	AllByIndex(name, value string) (iter.Seq[any], error)
}

// Provider is an indexer over such a store.
type Provider interface {
	// CoreReader returns a reader of the store, if there is one.
	CoreReader() (Reader, bool)
}

// Objects are some of a store, as its table holds them. The memory of Words belongs to
// whoever has them.
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

// Get returns the object of a key, of a store that was made for Ts.
func Get[T any](r Reader, key types.NamespacedName) (obj T, ok bool) {
	found, ok := r.Get(key)
	if ok {
		obj, ok = To[T](found)
	}
	return obj, ok
}

// List returns the objects of a namespace, or all for "", of a store that was made for Ts.
func List[T any](r Reader, namespace string) []T { return Slice[T](r.List(namespace)) }

// ByIndex returns the objects that have one of those values in an index, or several, each
// once, of a store that was made for Ts.
func ByIndex[T any](r Reader, name string, values ...string) ([]T, error) {
	if len(values) == 1 {
		found, err := r.ByIndex(name, values[0])
		return Slice[T](found), err
	}
	found, err := r.ByIndexAny(name, slices.Clone(values)) // a copy, so that one value needs no memory
	return Slice[T](found), err
}

// Slice returns objects as Ts, nil if there are none, without those of another type. It
// takes the memory of those that are pointers.
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

// Pointers returns the words of Ts as such, if T is a pointer: the word of a pointer is
// the pointer. It returns false if there may be objects of another type: the transform of
// an informer can make some.
func Pointers[T any](words []unsafe.Pointer, form Form) ([]T, bool) {
	var example T
	if reflect.TypeFor[T]().Kind() != reflect.Pointer || len(words) > 0 && !form.Only(example) {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), len(words)), true
}

// As returns an object of a T as such.
func As[T any](obj any) (t T) {
	t, _ = obj.(T) // nothing is the zero T
	return t
}

// To returns an object as a T, and whether it is one. Nothing is the zero T.
func To[T any](obj any) (t T, ok bool) {
	t, ok = obj.(T)
	return t, ok || obj == nil
}
