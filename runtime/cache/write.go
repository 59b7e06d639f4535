package cache

import (
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// Set makes obj the object of its key. Possible errors: those of the key
// function.
func (s *Store[T]) Set(obj T) error {
	key, err := s.key(obj)
	if err != nil {
		return err
	}
	resourceVersion := resourceVersionOf(obj)
	s.writing.Lock()
	defer s.writing.Unlock()
	found := s.staging.Set(s.table, key, s.pack(obj))
	s.lock()
	s.staging.CommitSet(s.table, key, found)
	s.advance(resourceVersion)
	s.unlock()
	return nil
}

// Delete removes the object of that key and returns it, if there was one.
func (s *Store[T]) Delete(key types.NamespacedName) (old T, existed bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	found := s.staging.Delete(s.table, key)
	s.lock()
	o, existed := s.staging.CommitDelete(s.table, key, found)
	s.unlock()
	if existed {
		old = s.form.Load().Unpack(o)
	}
	return old, existed
}

// Replace makes objects the content of the store, all at once for any reader.
// Of two objects with the same key the later one counts. Possible errors:
// those of the key function, and then nothing has changed.
func (s *Store[T]) Replace(objects []T, resourceVersion string) error {
	items := make([]item[T], len(objects))
	for i, obj := range objects {
		key, err := s.key(obj)
		if err != nil {
			return err
		}
		items[i] = item[T]{key: key, obj: obj}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	fresh := s.rebuilt(items)
	s.lock()
	defer s.unlock()
	s.table.Become(fresh)
	s.see(resourceVersion)
	return nil
}

// Change is a change to make to a store: Object becomes the object of Key or, if
// Delete is true, the object of Key goes.
type Change[T any] struct {
	Key    types.NamespacedName
	Object T
	Delete bool
}

// Apply makes changes in order, all at once for any reader. An empty
// resourceVersion leaves that of the store as it is.
func (s *Store[T]) Apply(changes []Change[T], resourceVersion string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	fresh := s.patch(changes)
	s.lock()
	s.make(changes, fresh)
	s.see(resourceVersion)
	s.unlock()
}

// patch prepares changes for make. Many are made in a copy of the table, which it
// returns: that takes longer, but not for readers. The caller holds writing.
func (s *Store[T]) patch(changes []Change[T]) (fresh *table.Table) {
	s.fit(func(yield func(T) bool) {
		for i := range changes {
			if !changes[i].Delete && !yield(changes[i].Object) {
				return
			}
		}
	})
	for i := range changes {
		s.staging.Add(s.table, changes[i].Delete, changes[i].Key, s.packed(&changes[i]))
		if s.staging.Work() > table.LongWork {
			s.staging.Reset()
			return s.table.Patched(func(yield func(table.Change) bool) {
				for i := range changes {
					c := &changes[i]
					if !yield(table.Change{Key: c.Key, Object: s.packed(c), Delete: c.Delete}) {
						return
					}
				}
			})
		}
	}
	return nil
}

// packed returns the object of a change, which fits.
func (s *Store[T]) packed(c *Change[T]) table.Object {
	if c.Delete {
		return nil
	}
	return s.form.Load().Pack(c.Object)
}

// rebuilt returns a table of other items. The caller holds writing.
func (s *Store[T]) rebuilt(items []item[T]) *table.Table {
	s.fit(func(yield func(T) bool) {
		for i := range items {
			if !yield(items[i].obj) {
				return
			}
		}
	})
	form := s.form.Load()
	return s.table.Rebuilt(len(items), func(yield func(types.NamespacedName, table.Object) bool) {
		for i := range items {
			if !yield(items[i].key, form.Pack(items[i].obj)) {
				return
			}
		}
	})
}

// pack returns an object as the table holds it. The caller holds writing, and nothing
// is staged.
func (s *Store[T]) pack(obj T) table.Object {
	form := s.form.Load()
	if !form.Holds(obj) {
		s.fit(func(yield func(T) bool) { yield(obj) })
		form = s.form.Load()
	}
	return form.Pack(obj)
}

// fit makes the table hold its objects in a form that can hold these as well. The
// caller holds writing, and nothing is staged.
func (s *Store[T]) fit(objects iter.Seq[T]) {
	old := s.form.Load()
	if old.HoldsAny() {
		return
	}
	form, empty := *old, s.table.Len() == 0
	for obj := range objects {
		switch {
		case form.Holds(obj):
		case empty:
			form = table.FormOf(obj)
		default:
			form = table.Boxed[T]()
		}
		empty = false
	}
	switch {
	case form == *old:
	case s.table.Len() == 0:
		s.form.Store(&form)
	default:
		fresh := s.table.Mapped(func(o table.Object) table.Object { return form.Pack(old.Unpack(o)) })
		s.mu.Lock()
		defer s.mu.Unlock()
		s.table.Become(fresh)
		s.form.Store(&form)
	}
}

// make makes changes that are prepared: one by one, or all in fresh, if it is not nil.
// The caller holds the lock.
func (s *Store[T]) make(changes []Change[T], fresh *table.Table) {
	if fresh != nil {
		s.table.Become(fresh)
		return
	}
	for i := range changes {
		c, found := &changes[i], s.staging.Next()
		if c.Delete {
			s.staging.CommitDelete(s.table, c.Key, found)
		} else {
			s.staging.CommitSet(s.table, c.Key, found)
		}
	}
}

// lock locks the store for what was staged. The caller holds writing.
func (s *Store[T]) lock() {
	for {
		s.staging.Prepare(s.table)
		s.mu.Lock()
		if s.staging.Install(s.table) {
			return
		}
		s.mu.Unlock()
	}
}

// unlock ends what lock began.
func (s *Store[T]) unlock() {
	if n := int64(s.table.Len()); n != s.length.Load() {
		s.length.Store(n)
	}
	s.mu.Unlock()
	s.staging.Reset()
}

// SetResourceVersion notes a version that the store has taken in, that of a
// bookmark for example. An empty one is ignored.
func (s *Store[T]) SetResourceVersion(resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.see(resourceVersion)
}

// AddIndexes registers indexes and computes them for the objects that are
// there. Possible errors: ErrIndexInvalid, ErrIndexExists; none of the indexes
// is registered then.
func (s *Store[T]) AddIndexes(indexes ...Index[T]) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	// Only a holder of writing changes the table: it can be read without mu.
	seen := map[string]bool{}
	for _, index := range indexes {
		if err := index.validate(); err != nil {
			return err
		}
		if seen[index.Name] || s.table.Index(index.Name) != nil {
			return fmt.Errorf("index %q: %w", index.Name, ErrIndexExists)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.AddIndexes(built...)
	s.indexes = append(s.indexes, indexes...)
	return nil
}

// see notes the latest resourceVersion. The caller holds mu.
func (s *Store[T]) see(resourceVersion string) {
	if resourceVersion != "" {
		s.resourceVersion = resourceVersion
	}
}

// advance is see for the version of one object, which may be older than what was
// seen: what comes late takes nothing back. The caller holds mu.
func (s *Store[T]) advance(resourceVersion string) {
	if resourceVersion == s.resourceVersion {
		return
	}
	if resourceVersion == "" || s.resourceVersion == "" {
		s.see(resourceVersion)
		return
	}
	order, err := resourceversion.CompareResourceVersion(resourceVersion, s.resourceVersion)
	if err != nil || order > 0 {
		s.see(resourceVersion)
	}
}

// observer gets the changes of a store while mu is held: nobody can read a change
// that the observer has not got, or the other way round.
type observer[T any] interface {
	// emit is called for each change, but those of a replace.
	emit(event[T])
	// wanted returns which events of a replace the observer wants. It is called with
	// mu held, maybe for reading.
	wanted() wanted
	// stage is called without mu, but with writing held, for the events of a replace
	// that were wanted. What it was called with before is void.
	stage(wanted wanted, events iter.Seq[event[T]])
	// relisted is called when a replace was made: what was staged has happened.
	relisted()
	// committed is called after one or more changes, when the lock is about to
	// be released.
	committed()
}

// wanted is which events an observer wants.
type wanted struct {
	// changes are those of objects that come, go, or are not as they were.
	changes bool
	// unchanged are those of objects that a replace found as they were.
	unchanged bool
}

// commit applies a batch of deltas.
func (s *Store[T]) commit(batch []delta[T], to observer[T]) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for len(batch) > 0 {
		if batch[0].kind == replaced {
			s.replace(&batch[0], to)
			batch = batch[1:]
			continue
		}
		n := s.stage(batch)
		s.lock()
		for i := range batch[:n] {
			s.apply(&batch[i], to)
		}
		to.committed()
		s.unlock()
		batch = batch[n:]
	}
}

// stage prepares the changes of the first deltas of a batch, as many as are applied
// at once, and returns how many that are.
func (s *Store[T]) stage(batch []delta[T]) (n int) {
	s.fit(func(yield func(T) bool) {
		for i := range batch {
			if batch[i].kind == set && !yield(batch[i].obj) {
				return
			}
		}
	})
	form := s.form.Load()
	for n < len(batch) && batch[n].kind != replaced && s.staging.Work() < table.LongWork {
		switch d := &batch[n]; d.kind {
		case set:
			s.staging.Add(s.table, false, d.key, form.Pack(d.obj))
		case deleted:
			s.staging.Add(s.table, true, d.key, nil)
		}
		n++
	}
	return n
}

// apply makes the change of one delta, which is staged. The caller holds mu.
func (s *Store[T]) apply(d *delta[T], to observer[T]) {
	switch d.kind {
	case set:
		old, existed := s.staging.CommitSet(s.table, d.key, s.staging.Next())
		if existed {
			to.emit(event[T]{kind: updated, old: s.form.Load().Unpack(old), obj: d.obj})
		} else {
			to.emit(event[T]{kind: added, obj: d.obj})
		}
	case deleted:
		if o, existed := s.staging.CommitDelete(s.table, d.key, s.staging.Next()); existed {
			old := s.form.Load().Unpack(o)
			last := d.obj
			if d.unseen || d.stored {
				last = old
			}
			to.emit(event[T]{kind: removed, finalStateUnknown: d.unseen, old: old, obj: last})
		}
	}
	s.advance(d.resourceVersion)
}

// replace makes a list of the API the content of the store. An item that is the same
// as the object in the store is dropped in its favour. Of the others, to gets first the
// objects that are gone, then the new and the changed ones in the order of items. The
// caller holds writing.
func (s *Store[T]) replace(list *delta[T], to observer[T]) {
	// Only a holder of writing changes the table: it can be read without mu.
	change := diff(s, list.items, list.same)
	changes, fresh := s.turn(&change)
	s.lockWith(&change, to)
	defer s.unlock()
	s.make(changes, fresh)
	s.see(list.resourceVersion)
	to.relisted()
	to.committed()
}

// turn is patch for a difference, which may be the better part of the store. The caller
// holds writing.
func (s *Store[T]) turn(change *difference[T]) (changes []Change[T], fresh *table.Table) {
	if change.size() <= s.table.Len()/2 {
		changes = change.changes()
		return changes, s.patch(changes)
	}
	return nil, s.rebuilt(change.kept)
}

// lockWith is lock after to has got the events of a change, those that it wants.
func (s *Store[T]) lockWith(change *difference[T], to observer[T]) {
	s.mu.RLock()
	wanted := to.wanted()
	s.mu.RUnlock()
	for {
		to.stage(wanted, change.events(wanted))
		s.lock()
		now := to.wanted()
		if now == wanted {
			return
		}
		wanted = now
		s.mu.Unlock()
	}
}
