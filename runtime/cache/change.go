package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// Change is a change of a store. Object replaces the object of Key or, if Delete is true, the object of Key
// is removed.
type Change[T any] struct {
	// Key is the key of the object.
	Key types.NamespacedName
	// Object is the new object. It is not used if Delete is true.
	Object T
	// Delete is true for a deletion.
	Delete bool
}

// change is a Change whose object a server may have sent.
type change struct {
	item
	remove bool
}

// set is Store.Set.
func (s *store) set(obj any) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	resourceVersion := protocol.ResourceVersionOf(obj)
	s.writing.Lock()
	defer s.writing.Unlock()
	found := s.staging.Set(s.table, key, s.pack(protocol.Received{Object: obj}))
	s.endIndexing(key)
	s.lock()
	s.staging.CommitSet(s.table, key, found)
	s.advanceVersion(resourceVersion)
	s.unlock()
	return nil
}

// delete is WritableStore.Delete, and WritableStore.Apply of one deletion.
func (s *store) delete(key types.NamespacedName, resourceVersion string) (old any, existed bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	found := s.staging.Delete(s.table, key)
	s.endIndexing(key)
	s.lock()
	o, existed := s.staging.CommitDelete(s.table, key, found)
	s.setVersion(resourceVersion)
	s.unlock()
	if existed {
		old = s.form.Load().Unpack(o)
	}
	return old, existed
}

// replaceAll is WritableStore.Replace. It computes the keys of the items.
func (s *store) replaceAll(items []item, resourceVersion string) error {
	for i := range items {
		key, err := s.key(items[i].Object)
		if err != nil {
			return err
		}
		items[i].key = key
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	fresh := s.rebuilt(items)
	s.lock()
	defer s.unlock()
	s.table.Become(fresh)
	s.setVersion(resourceVersion)
	return nil
}

// applyAll is WritableStore.Apply.
func (s *store) applyAll(changes []change, resourceVersion string) {
	if len(changes) == 1 && changes[0].remove {
		s.delete(changes[0].key, resourceVersion)
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	fresh := s.prepare(changes)
	s.lock()
	s.makeChanges(changes, fresh)
	s.setVersion(resourceVersion)
	s.unlock()
}

// prepare prepares changes for makeChanges. If they are many, it makes them in a copy of the table, and
// returns the copy: that takes longer, but does not block readers. The caller holds writing.
func (s *store) prepare(changes []change) (fresh *table.Table) {
	s.widenForm(len(changes), func(i int) (protocol.Received, bool) { return changes[i].Received, !changes[i].remove })
	for i := range changes {
		s.staging.Add(s.table, changes[i].remove, changes[i].key, s.packed(&changes[i]))
		s.endIndexing(changes[i].key)
		if s.staging.Work() > table.LongWork {
			s.staging.Reset()
			return s.table.Patched(func(yield func(table.Change) bool) {
				for i := range changes {
					c := &changes[i]
					if !yield(table.Change{Key: c.key, Object: s.packed(c), Delete: c.remove}) {
						return
					}
					s.endIndexing(c.key)
				}
			})
		}
	}
	return nil
}

// packed returns the object of a change as the table holds it. The form holds it.
func (s *store) packed(c *change) table.Object {
	if c.remove {
		return nil
	}
	return s.form.Load().Pack(c.Received)
}

// rebuilt returns a table with the items as its content. The caller holds writing.
func (s *store) rebuilt(items []item) *table.Table {
	s.widenForm(len(items), func(i int) (protocol.Received, bool) { return items[i].Received, true })
	form := s.form.Load()
	s.unindexed.BeginVisit()
	defer func() {
		s.unindexed.EndVisit(func(any) bool { return true })
		s.failed = false
	}()
	return s.table.Rebuilt(len(items), func(yield func(types.NamespacedName, table.Object) bool) {
		for i := range items {
			if !yield(items[i].key, form.Pack(items[i].Received)) {
				return
			}
		}
	})
}

// pack returns an object as the table holds it, and widens the form if necessary. The caller holds writing,
// and nothing is staged.
func (s *store) pack(obj protocol.Received) table.Object {
	form := s.form.Load()
	if !form.Holds(obj) {
		s.widenForm(1, func(int) (protocol.Received, bool) { return obj, true })
		form = s.form.Load()
	}
	return form.Pack(obj)
}

// widenForm converts the table to a form that can also hold the objects of n changes, if necessary. of
// returns the object that a change sets, if it sets one. The caller holds writing, and nothing is staged.
func (s *store) widenForm(n int, of func(i int) (obj protocol.Received, sets bool)) {
	old := s.form.Load()
	if old.HoldsAny() {
		return
	}
	form, empty := *old, s.table.Len() == 0
	for i := range n {
		switch obj, sets := of(i); {
		case !sets:
			continue
		case form.Holds(obj):
		case empty && obj.Sent == nil:
			form = table.FormOf(obj.Object)
		default:
			form = table.Boxed()
		}
		empty = false
	}
	switch {
	case form == *old:
	case s.table.Len() == 0:
		s.form.Store(&form)
	default:
		fresh := s.table.Mapped(func(o table.Object) table.Object { return form.Pack(old.Received(o)) })
		s.mu.Lock()
		defer s.mu.Unlock()
		s.table.Become(fresh)
		s.form.Store(&form)
	}
}

// makeChanges makes prepared changes: one by one, or all at once by fresh, if it is not nil. The caller
// holds the lock.
func (s *store) makeChanges(changes []change, fresh *table.Table) {
	if fresh != nil {
		s.table.Become(fresh)
		return
	}
	for i := range changes {
		c, found := &changes[i], s.staging.Next()
		if c.remove {
			s.staging.CommitDelete(s.table, c.key, found)
		} else {
			s.staging.CommitSet(s.table, c.key, found)
		}
	}
}

// lock locks the store for the staged changes. The caller holds writing.
func (s *store) lock() {
	for {
		s.staging.Prepare(s.table)
		s.mu.Lock()
		if s.staging.Install(s.table) {
			return
		}
		s.mu.Unlock()
	}
}

// unlock unlocks the store after lock, and clears the staging.
func (s *store) unlock() {
	s.mu.Unlock()
	s.staging.Reset()
}

// noteVersion is WritableStore.SetResourceVersion.
func (s *store) noteVersion(resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setVersion(resourceVersion)
}

// addIndexes is WritableStore.AddIndexes.
func (s *store) addIndexes(indexes []Index[any]) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	// Only a holder of writing changes the table: it can be read without mu.
	seen := map[string]bool{}
	for _, index := range indexes {
		if err := index.validate(); err != nil {
			return err
		}
		if seen[index.Name] || s.table.Index(index.Name) != nil {
			return fmt.Errorf("index %q: %w", index.Name, failure.ErrIndexExists)
		}
		seen[index.Name] = true
	}
	built := make([]*table.Postings, len(indexes))
	for i, index := range indexes {
		built[i] = s.table.Build(table.Index{
			Name:        index.Name,
			ByNamespace: index.namespace,
			Values: func(others []string, o table.Object) ([]string, error) {
				return index.of(others, s.form.Load().Unpack(o))
			},
		})
	}
	s.failed = false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.AddIndexes(built...)
	s.indexes = append(s.indexes, indexes...)
	return nil
}

// setVersion notes the latest resourceVersion. It ignores "". The caller holds mu.
func (s *store) setVersion(resourceVersion string) {
	if resourceVersion != "" {
		s.resourceVersion = resourceVersion
	}
}

// advanceVersion is setVersion for the version of one object. The version may be older than the store's:
// then the store's version stays. The caller holds mu.
func (s *store) advanceVersion(resourceVersion string) {
	s.resourceVersion = protocol.Newest(s.resourceVersion, resourceVersion)
}
