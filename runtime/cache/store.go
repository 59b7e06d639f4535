package cache

import (
	"fmt"
	"iter"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Store holds the objects of one resource and their indexes.
//
// It is safe for concurrent use. A read waits at most as long as copying pointers takes, and sees one state
// of the store: the state before or after a batch of changes, never a part of it. Slices that it returns
// belong to the caller. The objects in them are shared, and must not be mutated. Reads leave out objects of
// another type than T, which only a transform set by Untyped can have made.
type Store[T any] struct{ core store }

// Writable returns the store with methods that write to it. Use it for the store of an informer in tests
// only: handlers are not called, and the informer overwrites what was written with what it gets from the
// API.
func (s *Store[T]) Writable() WritableStore[T] { return WritableStore[T]{s} }

// Untyped returns the same store, for code that works with objects of any type. Objects that are written to
// it must be of the type T.
func (s *Store[T]) Untyped() *Store[any] { return (*Store[any])(s) }

// Reader returns the store for listers and adapters, which read it without naming T.
func (s *Store[T]) Reader() reader.Reader { return &s.core }

// Key returns the key of obj in this store.
func (s *Store[T]) Key(obj T) (types.NamespacedName, error) { return s.core.key(obj) }

// Get returns the object of a key, if there is one. It takes no lock unless the store changes meanwhile. An
// object that the informer could not store is absent here: Informer.Get returns an error for it.
func (s *Store[T]) Get(key types.NamespacedName) (obj T, ok bool) {
	found, ok := s.core.Get(key)
	if ok {
		obj, ok = reader.To[T](found)
	}
	return obj, ok
}

// Len returns the number of objects.
func (s *Store[T]) Len() int { return s.core.len() }

// List returns all objects, in no order.
func (s *Store[T]) List() []T { return s.ListNamespace("") }

// All iterates over the objects that the store holds when the iteration starts. The loop may take any time,
// and may use the store.
func (s *Store[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { s.Snapshot().each(yield) }
}

// ListNamespace returns the objects of a namespace in no order, or all objects for "". Without
// NamespaceIndex it looks at every object.
func (s *Store[T]) ListNamespace(namespace string) []T {
	return reader.List[T](&s.core, namespace)
}

// Namespace iterates as All does, over the objects of a namespace.
func (s *Store[T]) Namespace(namespace string) iter.Seq[T] {
	return func(yield func(T) bool) { Snapshot[T](s.core.namespace(namespace)).each(yield) }
}

// Keys returns the keys of all objects, in no order.
func (s *Store[T]) Keys() []types.NamespacedName { return s.core.keys() }

// ByIndex returns the objects that have a value in an index, in no order. Possible errors:
// failure.ErrIndexUnknown.
func (s *Store[T]) ByIndex(name, value string) ([]T, error) {
	return reader.ByIndex[T](&s.core, name, value)
}

// ByIndexAny returns the objects that have at least one of the values in an index, each once and in no
// order. Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) ByIndexAny(name string, values ...string) ([]T, error) {
	return reader.ByIndex[T](&s.core, name, values...)
}

// IndexKeys returns the keys of the objects that have a value in an index, in no order. Possible errors:
// failure.ErrIndexUnknown.
func (s *Store[T]) IndexKeys(name, value string) ([]types.NamespacedName, error) {
	return s.core.indexKeys(name, value)
}

// IndexValues returns the values that objects have in an index, in no order.
// Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) IndexValues(name string) ([]string, error) { return s.core.indexValues(name) }

// Indexes returns the registered indexes, in the order of their registration.
func (s *Store[T]) Indexes() []Index[T] { return indexesOf[T](s.core.registered()) }

// ResourceVersion returns the latest version that the store has reached: the version of the last list or
// bookmark, or of a newer object. It is "" before the first list.
func (s *Store[T]) ResourceVersion() string { return s.core.version() }

// Snapshot returns the objects that the store holds now.
func (s *Store[T]) Snapshot() Snapshot[T] { return Snapshot[T](s.core.snapshot()) }

// SnapshotByIndex returns the objects that have a value in an index now. Possible errors:
// failure.ErrIndexUnknown.
func (s *Store[T]) SnapshotByIndex(name, value string) (Snapshot[T], error) {
	found, err := s.core.snapshotByIndex(name, value)
	return Snapshot[T](found), err
}

// WritableStore is a Store with the methods that change it. Readers see each change as a
// whole or not at all. It is safe for concurrent use.
type WritableStore[T any] struct{ *Store[T] }

// NewStore returns an empty store. key computes the keys of its objects; in general it is KeyOf. Possible
// errors: failure.ErrIndexInvalid, failure.ErrIndexExists.
func NewStore[T any](key func(T) (types.NamespacedName, error), indexes ...Index[T]) (WritableStore[T], error) {
	s := WritableStore[T]{&Store[T]{}}
	s.core.setUp(reflect.TypeFor[T](), func(obj any) (types.NamespacedName, error) { return key(reader.As[T](obj)) })
	if err := s.AddIndexes(indexes...); err != nil {
		return WritableStore[T]{}, err
	}
	return s, nil
}

// Set stores obj under its key. It returns errors of the key function.
func (s WritableStore[T]) Set(obj T) error { return s.core.set(obj) }

// Delete removes the object of a key and returns it, if there was one.
func (s WritableStore[T]) Delete(key types.NamespacedName) (old T, existed bool) {
	found, existed := s.core.delete(key, "")
	return reader.As[T](found), existed
}

// Replace replaces the content of the store with objects, at once for every reader. If two objects have the
// same key, the later one is stored. It returns errors of the key function; nothing has changed then.
func (s WritableStore[T]) Replace(objects []T, resourceVersion string) error {
	items := make([]item, len(objects))
	for i, obj := range objects {
		items[i].Object = obj
	}
	return s.core.replaceAll(items, resourceVersion)
}

// Apply makes changes in order, at once for every reader. An empty resourceVersion leaves the store's
// version as it is.
func (s WritableStore[T]) Apply(changes []Change[T], resourceVersion string) {
	all := make([]change, len(changes))
	for i, c := range changes {
		all[i].key, all[i].Object, all[i].remove = c.Key, c.Object, c.Delete
	}
	s.core.applyAll(all, resourceVersion)
}

// SetResourceVersion sets the version that the store has reached, for example from a bookmark. An empty one
// is ignored.
func (s WritableStore[T]) SetResourceVersion(resourceVersion string) {
	s.core.noteVersion(resourceVersion)
}

// AddIndexes registers indexes and computes them for the objects in the store. Possible errors:
// failure.ErrIndexInvalid, failure.ErrIndexExists. After an error none of the indexes is registered.
func (s WritableStore[T]) AddIndexes(indexes ...Index[T]) error {
	return s.core.addIndexes(indexesOf[any](indexes))
}

// KeyOf returns the namespace and the name of obj, which may be anything that meta.Accessor understands.
// Informers keep objects under this key. The UID is not part of it.
func KeyOf(obj any) (types.NamespacedName, error) { return objectkey.Of(obj) }

// Index finds objects by values computed from them. An index is a value. Declare it beside the type that it
// indexes, and register it with Options.Indexes or AddIndexes:
//
//	var byOwner = cache.Index[*v1.Pod]{Name: "owner", Value: ownerName}
//	pods, err := byOwner.Find(informer.Store(), "web")
//
// Its function is called for each state of an object, in general once, before the store makes the change.
// Readers don't wait for it, but other writers do. The function must depend on nothing but its argument,
// and must not change the store. If it fails or panics, that is logged, and the object is left out of the
// index, but not out of the store.
type Index[T any] struct {
	// Name identifies the index in its store.
	Name string
	// Value returns the only value by which an object is found. Set exactly one of Value and Values.
	Value func(obj T) string
	// Values returns the values by which an object is found, in any order, possibly none.
	Values func(obj T) ([]string, error)

	// namespace marks the index by namespace. Its values are read from the keys.
	namespace bool
}

// of appends the values of obj to others. It returns an error if the function panics.
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

// namespaceIndexName is the name of the index by namespace, as in client-go.
const namespaceIndexName = "namespace"

// NamespaceIndex returns an index of objects by their namespace. Store.ListNamespace uses it if it is
// registered.
func NamespaceIndex[T any]() Index[T] {
	return Index[T]{Name: namespaceIndexName, namespace: true, Values: func(obj T) ([]string, error) {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		return []string{m.GetNamespace()}, nil
	}}
}

// Find returns the objects that have a value in the index, in no order. The store must have the index.
// Store.ByIndex does the same with the name of an index. Possible errors: failure.ErrIndexUnknown.
func (x Index[T]) Find(store *Store[T], value string) ([]T, error) {
	return store.ByIndex(x.Name, value)
}

func (x Index[T]) validate() error {
	if x.Name == "" || (x.Value == nil) == (x.Values == nil) {
		return fmt.Errorf("index %q: %w", x.Name, failure.ErrIndexInvalid)
	}
	return nil
}
