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
// It is safe for concurrent use. A read never waits for longer than a copy of
// pointers, and sees one state of the store: that before or that after a
// batch of changes, never a part of it. Slices that it returns are the
// caller's; the objects in them are shared with everybody and must not be
// mutated. Reads leave out objects of another type than T, which only a transform set by
// Untyped can have made.
type Store[T any] struct{ core store }

// Writable returns the store with the methods that write it. Writing to the store of an
// informer is meant for tests: handlers are not called for it, and the informer overwrites
// it with what it gets from the API.
func (s *Store[T]) Writable() WritableStore[T] { return WritableStore[T]{s} }

// Untyped returns the same store, for code that works with objects of any type. What
// is written to it must be of the type T.
func (s *Store[T]) Untyped() *Store[any] { return (*Store[any])(s) }

// Reader is for listers and adapters, which read stores without naming T.
func (s *Store[T]) Reader() reader.Reader { return &s.core }

// Key returns the key of obj in this store.
func (s *Store[T]) Key(obj T) (types.NamespacedName, error) { return s.core.key(obj) }

// Get returns the object of that key, if there is one. It takes no lock unless the store
// changes meanwhile. An object that the informer could not take is not in the store: Informer.Get
// has an error for it.
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

// All iterates over the objects that the store holds when the iteration
// starts. The loop may take its time and may use the store.
func (s *Store[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { s.Snapshot().each(yield) }
}

// ListNamespace returns the objects of a namespace, or all of them for the
// empty one, in no order. Without NamespaceIndex it looks at every object.
func (s *Store[T]) ListNamespace(namespace string) []T {
	return reader.List[T](&s.core, namespace)
}

// Namespace iterates as All does, over the objects of a namespace.
func (s *Store[T]) Namespace(namespace string) iter.Seq[T] {
	return func(yield func(T) bool) { Snapshot[T](s.core.namespace(namespace)).each(yield) }
}

// Keys returns the keys of all objects, in no order.
func (s *Store[T]) Keys() []types.NamespacedName { return s.core.keys() }

// ByIndex returns the objects that have that value in an index, in no order.
// Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) ByIndex(name, value string) ([]T, error) {
	return reader.ByIndex[T](&s.core, name, value)
}

// ByIndexAny returns the objects that have one of those values in an index, or
// several, each once and in no order. Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) ByIndexAny(name string, values ...string) ([]T, error) {
	return reader.ByIndex[T](&s.core, name, values...)
}

// IndexKeys returns the keys of the objects that have that value in an index,
// in no order. Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) IndexKeys(name, value string) ([]types.NamespacedName, error) {
	return s.core.indexKeys(name, value)
}

// IndexValues returns the values that objects have in an index, in no order.
// Possible errors: failure.ErrIndexUnknown.
func (s *Store[T]) IndexValues(name string) ([]string, error) { return s.core.indexValues(name) }

// Indexes returns the registered indexes, in the order of their registration.
func (s *Store[T]) Indexes() []Index[T] { return indexesOf[T](s.core.registered()) }

// ResourceVersion returns the latest version that the store has reached: that of the last
// list or bookmark, or of a newer object. It is "" before the first.
func (s *Store[T]) ResourceVersion() string { return s.core.version() }

// Snapshot returns the objects that the store holds now.
func (s *Store[T]) Snapshot() Snapshot[T] { return Snapshot[T](s.core.snapshot()) }

// SnapshotByIndex returns the objects that have that value in an index. Possible
// errors: failure.ErrIndexUnknown.
func (s *Store[T]) SnapshotByIndex(name, value string) (Snapshot[T], error) {
	found, err := s.core.snapshotByIndex(name, value)
	return Snapshot[T](found), err
}

// WritableStore is a Store with the methods that change it. Readers see each change as a
// whole or not at all. It is safe for concurrent use.
type WritableStore[T any] struct{ *Store[T] }

// NewStore returns an empty store whose objects have the keys that key
// computes, KeyOf in general, and the given indexes. Possible errors:
// failure.ErrIndexInvalid, failure.ErrIndexExists.
func NewStore[T any](key func(T) (types.NamespacedName, error), indexes ...Index[T]) (WritableStore[T], error) {
	s := WritableStore[T]{&Store[T]{}}
	s.core.setUp(reflect.TypeFor[T](), func(obj any) (types.NamespacedName, error) { return key(reader.As[T](obj)) })
	if err := s.AddIndexes(indexes...); err != nil {
		return WritableStore[T]{}, err
	}
	return s, nil
}

// Set makes obj the object of its key. Possible errors: those of the key
// function.
func (s WritableStore[T]) Set(obj T) error { return s.core.set(obj) }

// Delete removes the object of that key and returns it, if there was one.
func (s WritableStore[T]) Delete(key types.NamespacedName) (old T, existed bool) {
	found, existed := s.core.delete(key, "")
	return reader.As[T](found), existed
}

// Replace makes objects the content of the store, all at once for any reader.
// The later one of two objects with the same key counts. Possible errors:
// those of the key function, and then nothing has changed.
func (s WritableStore[T]) Replace(objects []T, resourceVersion string) error {
	items := make([]item, len(objects))
	for i, obj := range objects {
		items[i].Object = obj
	}
	return s.core.replaceAll(items, resourceVersion)
}

// Apply makes changes in order, all at once for any reader. An empty
// resourceVersion leaves that of the store as it is.
func (s WritableStore[T]) Apply(changes []Change[T], resourceVersion string) {
	all := make([]change, len(changes))
	for i, c := range changes {
		all[i].key, all[i].Object, all[i].remove = c.Key, c.Object, c.Delete
	}
	s.core.applyAll(all, resourceVersion)
}

// SetResourceVersion sets the version that the store has reached, for example that of a
// bookmark. An empty one is ignored.
func (s WritableStore[T]) SetResourceVersion(resourceVersion string) {
	s.core.noteVersion(resourceVersion)
}

// AddIndexes registers indexes and computes them for the objects that are
// there. Possible errors: failure.ErrIndexInvalid, failure.ErrIndexExists; none of the indexes
// is registered then.
func (s WritableStore[T]) AddIndexes(indexes ...Index[T]) error {
	return s.core.addIndexes(indexesOf[any](indexes))
}

// KeyOf returns the namespace and the name of obj, which may be anything that
// meta.Accessor understands. It is the key under which informers keep objects;
// the UID has no part in it.
func KeyOf(obj any) (types.NamespacedName, error) { return objectkey.Of(obj) }

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

// Find returns the objects that have that value in the index, which the store must have,
// in no order. Store.ByIndex does so by the name of the index. Possible errors:
// failure.ErrIndexUnknown.
func (x Index[T]) Find(store *Store[T], value string) ([]T, error) {
	return store.ByIndex(x.Name, value)
}

func (x Index[T]) validate() error {
	if x.Name == "" || (x.Value == nil) == (x.Values == nil) {
		return fmt.Errorf("index %q: %w", x.Name, failure.ErrIndexInvalid)
	}
	return nil
}
