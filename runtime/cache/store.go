package cache

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
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
	staging table.Staging
	indexes []Index[T]
	// complain is called with the error of an index function that failed.
	complain func(error)

	// form is how the table holds objects. It changes, with writing and mu held or
	// while the table is empty, when there are objects of another Go type.
	form atomic.Pointer[table.Form[T]]
	// pointers says that T is a pointer, of which there is one form.
	pointers bool

	// mu guards what is below. A writer holds it only for the change itself, and
	// never while it runs user code.
	mu              versionedMutex
	table           *table.Table // always the same one
	resourceVersion string
}

// NewStore returns an empty store whose objects have the keys that key
// computes, KeyOf in general, and the given indexes. Possible errors:
// ErrIndexInvalid, ErrIndexExists.
func NewStore[T any](key func(T) (types.NamespacedName, error), indexes ...Index[T]) (*Store[T], error) {
	s := newStore(key)
	if err := s.AddIndexes(indexes...); err != nil {
		return nil, err
	}
	return s, nil
}

func newStore[T any](key func(T) (types.NamespacedName, error)) *Store[T] {
	s := &Store[T]{key: key, complain: func(err error) { logIndexError(err) }}
	s.table = table.New(0, func(index string, key types.NamespacedName, err error) {
		s.complain(fmt.Errorf("index %q: %w", index, &ObjectError{Object: keyString(key), Err: err}))
	})
	form := table.FormOf(*new(T))
	s.form.Store(&form)
	s.pointers = reflect.TypeFor[T]().Kind() == reflect.Pointer
	return s
}

func logIndexError(err error, of ...any) {
	klog.FromContext(context.Background()).Error(err, "Object left out of an index", of...)
}

// Key returns the key of obj in this store.
func (s *Store[T]) Key(obj T) (types.NamespacedName, error) { return s.key(obj) }

// Get returns the object of that key, if there is one. While nobody writes, it needs
// no lock.
func (s *Store[T]) Get(key types.NamespacedName) (T, bool) {
	version := s.mu.version.Load()
	o, ok := s.table.Load(key)
	if s.pointers {
		if s.mu.unchangedSince(version) {
			return table.Pointer[T](o), ok
		}
		return s.getLocked(key)
	}
	form := s.form.Load()
	if !s.mu.unchangedSince(version) {
		return s.getLocked(key)
	}
	if !ok {
		return *new(T), false
	}
	return form.Unpack(o), true
}

func (s *Store[T]) getLocked(key types.NamespacedName) (T, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.table.Get(key)
	if !ok {
		return *new(T), false
	}
	return s.form.Load().Unpack(o), true
}

// Len returns the number of objects. It never waits.
func (s *Store[T]) Len() int { return int(s.length.Load()) }

// List returns all objects, in no order.
func (s *Store[T]) List() []T {
	return s.copyOf(s.table.Objects)
}

// All iterates over the objects that the store holds when the iteration
// starts. The loop may take its time and may use the store.
func (s *Store[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { s.Snapshot().each(yield) }
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
			s.Snapshot().each(yield)
			return
		}
		if hits, err := s.SnapshotByIndex(NamespaceIndexName, namespace); err == nil {
			hits.each(yield)
			return
		}
		for obj := range s.Snapshot().each {
			if key, err := s.key(obj); err == nil && key.Namespace == namespace && !yield(obj) {
				return
			}
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
	keys := make([]types.NamespacedName, s.table.Len())
	for row := range keys {
		keys[row] = s.table.Key(uint32(row))
	}
	return keys
}

// ByIndex returns the objects that have that value in an index, in no order.
// Possible errors: ErrIndexUnknown.
func (s *Store[T]) ByIndex(name, value string) ([]T, error) {
	known := false
	found := s.copyOf(func() (hits *table.Vector) {
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
	index := s.table.Index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	var found []T
	form := s.form.Load()
	seen := map[uint32]bool{}
	for _, value := range values {
		list := index.Find(value)
		if list == nil {
			continue
		}
		for i, row := range list.Rows() {
			if !seen[row] {
				seen[row] = true
				found = append(found, form.Unpack(list.Objects().Items()[i]))
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
	index := s.table.Index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	list := index.Find(value)
	if list == nil {
		return nil, nil
	}
	keys := make([]types.NamespacedName, len(list.Rows()))
	for i, row := range list.Rows() {
		keys[i] = s.table.Key(row)
	}
	return keys, nil
}

// IndexValues returns the values that objects have in an index, in no order.
// Possible errors: ErrIndexUnknown.
func (s *Store[T]) IndexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	index := s.table.Index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	return index.Values(), nil
}

// Indexes returns the registered indexes, in the order of their registration.
func (s *Store[T]) Indexes() []Index[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.indexes)
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
func (s *Store[T]) hits(name, value string) (hits *table.Vector, known bool) {
	index := s.table.Index(name)
	if index == nil {
		return nil, false
	}
	if list := index.Find(value); list != nil {
		return list.Objects(), true
	}
	return nil, true
}

// shortCopy is how many objects are copied into memory that is allocated under
// the lock, which takes less time than to lock again.
const shortCopy = 128

// copyOf returns a copy of the vector that find finds under the read lock. The
// memory of a long one is allocated outside of it, so that writers wait for the
// copy only.
func (s *Store[T]) copyOf(find func() *table.Vector) []T {
	var out []T
	for {
		s.mu.RLock()
		v := find()
		if v == nil {
			s.mu.RUnlock()
			return nil
		}
		n := v.Len()
		if n > cap(out) && n <= shortCopy {
			out = make([]T, n)
		}
		if n <= cap(out) {
			out = out[:n]
			s.form.Load().Copy(out, v.Items())
			s.mu.RUnlock()
			giveWay(n)
			return out
		}
		s.mu.RUnlock()
		out = make([]T, 0, n)
	}
}
