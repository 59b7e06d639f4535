package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
)

// Index finds objects by values computed from them. An index is a value,
// declared beside the type that it indexes and registered with Options.Indexes
// or AddIndexes:
//
//	var byOwner = cache.Index[*v1.Pod]{Name: "owner", Value: ownerName}
//	pods, err := byOwner.Find(informer.Store(), "web")
//
// Its function is called for each state of an object, once in general, before the
// store makes the change: readers don't wait for it, other writers do. It must depend
// on nothing but its argument, and not change the store. An error or a panic leaves the
// object out of the index, not out of the store, and is logged.
type Index[T any] struct {
	// Name identifies the index in its store.
	Name string
	// Value returns the one value by which an object is found. Exactly one of
	// Value and Values is set.
	Value func(obj T) string
	// Values returns the values by which an object is found, in any order and
	// possibly none.
	Values func(obj T) ([]string, error)

	// namespace marks the index by namespace, whose values are in the keys.
	namespace bool
}

// of appends the values of obj to others. A panic of the function is an error.
func (x *Index[T]) of(others []string, obj T) (all []string, err error) {
	all = others
	defer catch(&err)
	if x.Value != nil {
		return append(all, x.Value(obj)), nil
	}
	values, err := x.Values(obj)
	if err != nil {
		return all, err
	}
	return append(all, values...), nil
}

// namespaceIndexName is the name of the index by namespace, which is
// client-go's.
const namespaceIndexName = "namespace"

// NamespaceIndex is the index of objects by their namespace.
// Store.ListNamespace uses it if it is registered.
func NamespaceIndex[T any]() Index[T] {
	return Index[T]{Name: namespaceIndexName, namespace: true, Values: func(obj T) ([]string, error) {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		return []string{m.GetNamespace()}, nil
	}}
}

func (x Index[T]) validate() error {
	if x.Name == "" || (x.Value == nil) == (x.Values == nil) {
		return fmt.Errorf("index %q: %w", x.Name, ErrIndexInvalid)
	}
	return nil
}
