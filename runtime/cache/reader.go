package cache

import (
	"iter"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// Reader reads a store without naming the type of its objects. It is for code that is
// generated for many types: where Store[T] is named, all of its methods are compiled,
// while Get, List and ByIndex are compiled one by one.
type Reader interface {
	// ObjectType returns the type that the store was made for.
	ObjectType() reflect.Type
	// All iterates over the objects of a namespace, or all of them for the empty one, as
	// Store.Namespace does.
	All(namespace string) iter.Seq[any]

	get(key types.NamespacedName) (any, bool)
	list(namespace string) objects
	byIndex(name, value string) (objects, error)
	byIndexAny(name string, values []string) (objects, error)
}

// Reader returns a reader of the store.
func (s *Store[T]) Reader() Reader { return &s.core }

// Get is Store.Get, of a store that was made for Ts.
func Get[T any](r Reader, key types.NamespacedName) (obj T, ok bool) {
	found, ok := r.get(key)
	if ok {
		obj = as[T](found)
	}
	return obj, ok
}

// List is Store.ListNamespace, of a store that was made for Ts.
func List[T any](r Reader, namespace string) []T { return sliceOf[T](r.list(namespace)) }

// ByIndex is Store.ByIndexAny, of a store that was made for Ts.
func ByIndex[T any](r Reader, name string, values ...string) ([]T, error) {
	if len(values) == 1 {
		found, err := r.byIndex(name, values[0])
		return sliceOf[T](found), err
	}
	found, err := r.byIndexAny(name, slices.Clone(values)) // a copy, so that one value needs no memory
	return sliceOf[T](found), err
}

// sliceOf returns objects in a slice, nil if there are none. It takes the memory of those
// that are pointers: nobody else has it.
func sliceOf[T any](o objects) []T {
	switch {
	case len(o.words) == 0:
		return nil
	case reflect.TypeFor[T]().Kind() == reflect.Pointer:
		return table.Pointers[T](o.words)
	}
	list := make([]T, len(o.words))
	for i, word := range o.words {
		list[i] = as[T](o.form.Unpack(word))
	}
	return list
}

// as returns an object of a T as such.
func as[T any](obj any) (t T) {
	if untyped, ok := any(&t).(*any); ok {
		*untyped = obj
		return t
	}
	t, _ = obj.(T) // nothing is the zero T
	return t
}
