package cache

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// store is the untyped part of a Store, compiled once for all types. Its objects have the type of.
type store struct {
	key func(any) (types.NamespacedName, error)
	of  reflect.Type

	// writing is held by a writer, from its first look at the state to its last change. It is locked before
	// mu, and guards staging.
	writing sync.Mutex
	staging table.Staging
	indexes []Index[any]
	// leftOut holds the objects that the informer could not take, by their scopes. It changes with mu held.
	leftOut leftout.Set
	// complain is called with the error of an index function that failed. unindexed holds the objects
	// concerned. failed reports whether a function has failed since the last key.
	complain  func(error)
	unindexed leftout.Set
	failed    bool

	// form is the form of the table's objects. It changes when objects of another Go type come, with
	// writing and mu held or while the table is empty.
	form atomic.Pointer[table.Form]

	// mu guards the fields below. A writer holds it only for the change itself, and never while user code
	// runs.
	mu              table.SeqLock
	table           *table.Table // never replaced
	resourceVersion string
}

// setUp makes an empty store.
func (s *store) setUp(of reflect.Type, key func(any) (types.NamespacedName, error)) {
	s.of, s.key = of, key
	s.complain = func(err error) { logIndexError(err) }
	s.table = table.New(0, func(index string, key types.NamespacedName, err error) {
		err = fmt.Errorf("index %q: %w", index, &failure.ObjectError{Object: objectkey.String(key), Err: err})
		s.failed = true
		_, why := leftout.Explain(err)
		s.unindexed.Add(nil, key, leftout.State{Why: why})
		s.complain(err)
	})
	form := table.FormOf(reflect.Zero(of).Interface())
	s.form.Store(&form)
}

// endIndexing notes that the change of a key is prepared. The caller holds writing.
func (s *store) endIndexing(key types.NamespacedName) {
	if !s.failed {
		s.unindexed.Remove(key)
	}
	s.failed = false
}

func logIndexError(err error, of ...any) {
	klog.FromContext(context.Background()).Error(err, "Object left out of an index", of...)
}

// Get is Store.Get.
func (s *store) Get(key types.NamespacedName) (any, bool) {
	version := s.mu.Version()
	o, ok := s.table.Load(key)
	form := s.form.Load()
	if !s.mu.UnchangedSince(version) {
		obj, ok := s.received(key)
		return obj.Object, ok
	}
	if !ok {
		return nil, false
	}
	return form.Unpack(o), true
}

// received returns the stored object of a key as the server sent it.
func (s *store) received(key types.NamespacedName) (obj protocol.Received, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.table.Get(key)
	if ok {
		obj = s.form.Load().Received(o)
	}
	return obj, ok
}

// snapshot returns all objects.
func (s *store) snapshot() Snapshot[any] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.snapshotLocked()
}

// snapshotLocked is snapshot. The caller holds mu.
func (s *store) snapshotLocked() Snapshot[any] { return s.snapshotOf(s.table.Objects()) }

func (s *store) snapshotOf(of *table.Vector) Snapshot[any] {
	return Snapshot[any]{words: of.Snapshot(), form: s.form.Load()}
}

// snapshotByIndex returns the objects that have a value in an index.
func (s *store) snapshotByIndex(name, value string) (Snapshot[any], error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	hits, err := s.hits(name, value)
	if hits == nil {
		return Snapshot[any]{}, err
	}
	return s.snapshotOf(hits.Objects()), nil
}

// namespace returns a snapshot of a namespace, or of everything for "". Without an index
// it looks at each object.
func (s *store) namespace(namespace string) Snapshot[any] {
	if namespace == "" {
		return s.snapshot()
	}
	if found, err := s.snapshotByIndex(namespaceIndexName, namespace); err == nil {
		return found
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := Snapshot[any]{form: s.form.Load()}
	for row, o := range s.table.Objects().Items() {
		if s.table.Key(uint32(row)).Namespace == namespace {
			found.words = append(found.words, o)
		}
	}
	return found
}

// ObjectType implements reader.Reader.
func (s *store) ObjectType() reflect.Type { return s.of }

// All is Store.Namespace.
func (s *store) All(namespace string) iter.Seq[any] {
	return func(yield func(any) bool) { s.namespace(namespace).each(yield) }
}

// List is Store.ListNamespace.
func (s *store) List(namespace string) reader.Objects {
	if namespace == "" {
		return s.copyOf(s.table.Objects)
	}
	if found, err := s.ByIndex(namespaceIndexName, namespace); err == nil {
		return found
	}
	found := s.namespace(namespace)
	return reader.Objects{Words: found.words, Form: found.form}
}

// len returns the number of objects.
func (s *store) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.table.Len()
}

// keys returns the keys of all objects.
func (s *store) keys() []types.NamespacedName {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := make([]types.NamespacedName, s.table.Len())
	for row := range keys {
		keys[row] = s.table.Key(uint32(row))
	}
	return keys
}

// ByIndex is Store.ByIndex.
func (s *store) ByIndex(name, value string) (found reader.Objects, err error) {
	found = s.copyOf(func() *table.Vector {
		var hits *table.Posting
		if hits, err = s.hits(name, value); hits == nil {
			return nil
		}
		return hits.Objects()
	})
	return found, err
}

// AllByIndex iterates over Store.SnapshotByIndex.
func (s *store) AllByIndex(name, value string) (iter.Seq[any], error) {
	found, err := s.snapshotByIndex(name, value)
	return found.All(), err
}

// ByIndexAny is Store.ByIndexAny.
func (s *store) ByIndexAny(name string, values []string) (reader.Objects, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := reader.Objects{Form: s.form.Load()}
	index := s.table.Index(name)
	if index == nil {
		return found, unknownIndex(name)
	}
	seen := map[uint32]bool{}
	for _, value := range values {
		hits := index.Find(value)
		if hits == nil {
			continue
		}
		for i, row := range hits.Rows() {
			if !seen[row] {
				seen[row] = true
				found.Words = append(found.Words, hits.Objects().Items()[i])
			}
		}
	}
	return found, nil
}

// indexed returns the number of objects that have a value in an index.
func (s *store) indexed(name, value string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if hits, _ := s.hits(name, value); hits != nil {
		return len(hits.Rows())
	}
	return 0
}

// indexKeys returns the keys of the objects that have a value in an index.
func (s *store) indexKeys(name, value string) ([]types.NamespacedName, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	hits, err := s.hits(name, value)
	if hits == nil {
		return nil, err
	}
	keys := make([]types.NamespacedName, len(hits.Rows()))
	for i, row := range hits.Rows() {
		keys[i] = s.table.Key(row)
	}
	return keys, nil
}

// indexValues returns the values that objects have in an index.
func (s *store) indexValues(name string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	index := s.table.Index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	return index.Values(), nil
}

// registered returns the indexes, in the order of their registration.
func (s *store) registered() []Index[any] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.indexes)
}

// version is ResourceVersion.
func (s *store) version() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.resourceVersion
}

func unknownIndex(name string) error {
	return fmt.Errorf("index %q: %w", name, failure.ErrIndexUnknown)
}

// hits returns the objects that have a value in an index, or nil if there are none. The caller holds mu.
func (s *store) hits(name, value string) (*table.Posting, error) {
	index := s.table.Index(name)
	if index == nil {
		return nil, unknownIndex(name)
	}
	return index.Find(value), nil
}

// shortCopy limits how many objects are copied into memory that is allocated under the lock. Up to this
// number the allocation takes less time than locking again.
const shortCopy = 128

// copyOf returns a copy of the vector that find finds under the read lock. The memory for a long vector is
// allocated outside of the lock, so that writers wait for the copy only.
func (s *store) copyOf(find func() *table.Vector) (found reader.Objects) {
	var out []table.Object
	for {
		s.mu.RLock()
		v := find()
		if v == nil {
			s.mu.RUnlock()
			return found
		}
		n := v.Len()
		if n > cap(out) && n <= shortCopy {
			out = make([]table.Object, n)
		}
		if n <= cap(out) {
			out = out[:n]
			copy(out, v.Items())
			found = reader.Objects{Words: out, Form: s.form.Load()}
			s.mu.RUnlock()
			giveWay(n)
			return found
		}
		s.mu.RUnlock()
		out = make([]table.Object, 0, n)
	}
}
