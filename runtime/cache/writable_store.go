package cache

import (
	"reflect"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// WritableStore is a Store with the methods that change it. Readers see each change as a
// whole or not at all. It is safe for concurrent use.
type WritableStore[T any] struct{ *Store[T] }

// NewStore returns an empty store whose objects have the keys that key
// computes, KeyOf in general, and the given indexes. Possible errors:
// ErrIndexInvalid, ErrIndexExists.
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
// Of two objects with the same key the later one counts. Possible errors:
// those of the key function, and then nothing has changed.
func (s WritableStore[T]) Replace(objects []T, resourceVersion string) error {
	items := make([]item, len(objects))
	for i, obj := range objects {
		items[i].obj = obj
	}
	return s.core.replaceAll(items, resourceVersion)
}

// Change is a change to make to a store: Object becomes the object of Key or, if
// Delete is true, the object of Key is removed.
type Change[T any] struct {
	// Key is the key of the object.
	Key types.NamespacedName
	// Object is the new object. It is not used if Delete is true.
	Object T
	// Delete is true for a deletion.
	Delete bool
}

// Apply makes changes in order, all at once for any reader. An empty
// resourceVersion leaves that of the store as it is.
func (s WritableStore[T]) Apply(changes []Change[T], resourceVersion string) {
	untyped, ok := any(changes).([]Change[any])
	if !ok {
		untyped = make([]Change[any], len(changes))
		for i, c := range changes {
			untyped[i] = Change[any]{Key: c.Key, Object: c.Object, Delete: c.Delete}
		}
	}
	s.core.applyAll(untyped, resourceVersion)
}

// SetResourceVersion sets the version that the store has reached, for example that of a
// bookmark. An empty one is ignored.
func (s WritableStore[T]) SetResourceVersion(resourceVersion string) {
	s.core.note(resourceVersion)
}

// AddIndexes registers indexes and computes them for the objects that are
// there. Possible errors: ErrIndexInvalid, ErrIndexExists; none of the indexes
// is registered then.
func (s WritableStore[T]) AddIndexes(indexes ...Index[T]) error {
	return s.core.addIndexes(indexesOf[any](indexes))
}
