package cache

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// Store holds the objects of one resource and their indexes.
//
// It is safe for concurrent use. A read never waits for longer than a copy of
// pointers, and sees one state of the store: that before or that after a
// batch of changes, never a part of it. Slices that it returns are the
// caller's; the objects in them are shared with everybody and must not be
// mutated.
//
// Writing to the store of an informer bypasses its handlers, and is overwritten
// by what the informer hears of the API. It is meant for tests.
type Store[T any] struct {
	key func(T) (types.NamespacedName, error)

	// length is how many objects there are.
	length atomic.Int64

	// writing is held by whoever changes the store, from the first look at
	// the state to the last change. It comes before mu, and guards staging.
	writing sync.Mutex
	staging staging[T]

	// mu guards what is below. A writer holds it only for the change itself, and
	// never while it runs user code.
	mu              versionedMutex
	table           *table[T] // always the same one
	resourceVersion string
}

// NewStore returns an empty store whose objects have the keys that key
// computes, KeyOf in general, and the given indexes. Possible errors:
// ErrIndexInvalid, ErrIndexExists.
func NewStore[T any](key func(T) (types.NamespacedName, error), indexes ...Index[T]) (*Store[T], error) {
	s := &Store[T]{key: key, table: newTable[T](0, func(err error) { logIndexError(err) })}
	if err := s.AddIndexes(indexes...); err != nil {
		return nil, err
	}
	return s, nil
}

func logIndexError(err error, of ...any) {
	klog.FromContext(context.Background()).Error(err, "Object left out of an index", of...)
}

// Key returns the key of obj in this store.
func (s *Store[T]) Key(obj T) (types.NamespacedName, error) { return s.key(obj) }

// Get returns the object of that key, if there is one. While nobody writes, it needs
// no lock.
func (s *Store[T]) Get(key types.NamespacedName) (T, bool) {
	t := s.table
	if !t.objects.isWords {
		return s.getLocked(key)
	}
	version := s.mu.version.Load()
	row, ok := t.findHash(hashKey(t.seed, key), key)
	var obj T
	if ok {
		obj = t.objects.load(row)
	}
	if !s.mu.unchangedSince(version) {
		return s.getLocked(key)
	}
	return obj, ok
}

func (s *Store[T]) getLocked(key types.NamespacedName) (T, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.table.get(key)
}

// Len returns the number of objects. It never waits.
func (s *Store[T]) Len() int { return int(s.length.Load()) }

// List returns all objects, in no order.
func (s *Store[T]) List() []T {
	return s.copyOf(func() *vector[T] { return &s.table.objects.vector })
}

// All iterates over the objects that the store holds when the iteration
// starts. The loop may take its time and may use the store.
func (s *Store[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { each(s.Snapshot().objects, yield) }
}

// ListNamespace returns the objects of a namespace, or all of them for the
// empty one, in no order. Without an index of the name NamespaceIndexName it
// looks at every object.
func (s *Store[T]) ListNamespace(namespace string) []T {
	if namespace == "" {
		return s.List()
	}
	found, err := s.ByIndex(NamespaceIndexName, namespace)
	if err == nil {
		return found
	}
	for obj := range s.Namespace(namespace) {
		found = append(found, obj)
	}
	return found
}

// Namespace iterates as All does, over the objects of a namespace.
func (s *Store[T]) Namespace(namespace string) iter.Seq[T] {
	return func(yield func(T) bool) {
		if namespace == "" {
			each(s.Snapshot().objects, yield)
			return
		}
		if hits, err := s.SnapshotByIndex(NamespaceIndexName, namespace); err == nil {
			each(hits.objects, yield)
			return
		}
		for _, obj := range s.Snapshot().objects {
			if key, err := s.key(obj); err == nil && key.Namespace == namespace && !yield(obj) {
				return
			}
		}
	}
}

func each[T any](objects []T, yield func(T) bool) {
	defer giveWay(len(objects))
	for _, obj := range objects {
		if !yield(obj) {
			return
		}
	}
}

// longRead is how many objects a read may give out without giving way.
const longRead = 2048

// giveWay lets others run after a read of n objects if that was a long one.
// Goroutines that list without pause hold the processors for 10 ms at a time:
// with more of them than processors, each step of an event on its way, from the
// source to the handlers, would wait for several such turns.
func giveWay(n int) {
	if n > longRead {
		runtime.Gosched()
	}
}

// Keys returns the keys of all objects, in no order.
func (s *Store[T]) Keys() []types.NamespacedName {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := make([]types.NamespacedName, s.table.rows)
	for row := range keys {
		keys[row] = s.table.key(uint32(row))
	}
	return keys
}

// ByIndex returns the objects that have that value in an index, in no order.
// Possible errors: ErrIndexUnknown.
func (s *Store[T]) ByIndex(name, value string) ([]T, error) {
	known := false
	found := s.copyOf(func() (hits *vector[T]) {
		hits, known = s.hits(name, value)
		return hits
	})
	if !known {
		return nil, unknownIndex(name)
	}
	return found, nil
}

// ByIndexAny returns the objects that have one of those values in an index, or
// several, each once and in no order. Possible errors: ErrIndexUnknown.
func (s *Store[T]) ByIndexAny(name string, values ...string) ([]T, error) {
	if len(values) == 1 {
		return s.ByIndex(name, values[0])
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	index := s.table.index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	var found []T
	seen := map[uint32]bool{}
	for _, value := range values {
		list := index.list(value)
		if list == nil {
			continue
		}
		for i, row := range list.rows {
			if !seen[row] {
				seen[row] = true
				found = append(found, list.objects.items[i])
			}
		}
	}
	return found, nil
}

// IndexKeys returns the keys of the objects that have that value in an index,
// in no order. Possible errors: ErrIndexUnknown.
func (s *Store[T]) IndexKeys(name, value string) ([]types.NamespacedName, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	index := s.table.index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	list := index.list(value)
	if list == nil {
		return nil, nil
	}
	keys := make([]types.NamespacedName, len(list.rows))
	for i, row := range list.rows {
		keys[i] = s.table.key(row)
	}
	return keys, nil
}

// IndexValues returns the values that objects have in an index, in no order.
// Possible errors: ErrIndexUnknown.
func (s *Store[T]) IndexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	index := s.table.index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	values := make([]string, 0, len(index.byValue))
	for value := range index.byValue {
		values = append(values, value)
	}
	return values, nil
}

// Indexes returns the registered indexes, in the order of their registration.
func (s *Store[T]) Indexes() []Index[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	indexes := make([]Index[T], len(s.table.indexes))
	for i, index := range s.table.indexes {
		indexes[i] = index.Index
	}
	return indexes
}

// ResourceVersion returns that of the last list or bookmark that the store has
// taken in, or of a newer object since, or "" before the first.
func (s *Store[T]) ResourceVersion() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.resourceVersion
}

func unknownIndex(name string) error { return fmt.Errorf("index %q: %w", name, ErrIndexUnknown) }

// hits returns the objects with that value in an index, or nil if there are
// none, and whether there is such an index. The caller holds mu.
func (s *Store[T]) hits(name, value string) (hits *vector[T], known bool) {
	index := s.table.index(name)
	if index == nil {
		return nil, false
	}
	if list := index.list(value); list != nil {
		return &list.objects, true
	}
	return nil, true
}

// shortCopy is how many objects are copied into memory that is allocated under
// the lock, which takes less time than to lock again.
const shortCopy = 128

// copyOf returns a copy of the vector that find finds under the read lock. The
// memory of a long one is allocated outside of it, so that writers wait for the
// copy only.
func (s *Store[T]) copyOf(find func() *vector[T]) []T {
	var out []T
	for {
		s.mu.RLock()
		v := find()
		if v == nil {
			s.mu.RUnlock()
			return nil
		}
		n := v.len()
		if n > cap(out) && n <= shortCopy {
			out = make([]T, n)
		}
		if n <= cap(out) {
			out = out[:n]
			copy(out, v.items)
			s.mu.RUnlock()
			giveWay(n)
			return out
		}
		s.mu.RUnlock()
		out = make([]T, 0, n)
	}
}
