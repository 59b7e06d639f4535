package cache

import (
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
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
	found := s.staging.set(s.table, key, obj)
	s.lock()
	s.staging.commitSet(s.table, key, found, obj)
	s.advance(resourceVersion)
	s.unlock()
	return nil
}

// Delete removes the object of that key and returns it, if there was one.
func (s *Store[T]) Delete(key types.NamespacedName) (old T, existed bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	found := s.staging.delete(s.table, key)
	s.lock()
	old, existed = s.staging.commitDelete(s.table, key, found)
	s.unlock()
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
	fresh := s.table.rebuilt(items)
	s.lock()
	defer s.unlock()
	s.table.become(fresh)
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
func (s *Store[T]) patch(changes []Change[T]) (fresh *table[T]) {
	for i := range changes {
		c := &changes[i]
		if s.staging.add(s.table, c.Delete, c.Key, c.Object); s.staging.work > longWork {
			s.staging.reset()
			return s.table.patched(changes)
		}
	}
	return nil
}

// make makes changes that are prepared: one by one, or all in fresh, if it is not nil.
// The caller holds the lock.
func (s *Store[T]) make(changes []Change[T], fresh *table[T]) {
	if fresh != nil {
		s.table.become(fresh)
		return
	}
	for i := range changes {
		c, found := &changes[i], s.staging.next()
		if c.Delete {
			s.staging.commitDelete(s.table, c.Key, found)
		} else {
			s.staging.commitSet(s.table, c.Key, found, c.Object)
		}
	}
}

// lock locks the store for what was staged. The caller holds writing.
func (s *Store[T]) lock() {
	for {
		s.staging.prepare(s.table)
		s.mu.Lock()
		if s.staging.install(s.table) {
			return
		}
		s.mu.Unlock()
	}
}

// unlock ends what lock began.
func (s *Store[T]) unlock() {
	if n := int64(s.table.rows); n != s.length.Load() {
		s.length.Store(n)
	}
	s.mu.Unlock()
	s.staging.reset()
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
		if seen[index.Name] || s.table.index(index.Name) != nil {
			return fmt.Errorf("index %q: %w", index.Name, ErrIndexExists)
		}
		seen[index.Name] = true
	}
	built := make([]*postings[T], len(indexes))
	for i, index := range indexes {
		built[i] = s.table.build(index)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.indexes = append(s.table.indexes, built...)
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
	for n < len(batch) && batch[n].kind != replaced && s.staging.work < longWork {
		if d := &batch[n]; d.kind != bookmarked {
			s.staging.add(s.table, d.kind == deleted, d.key, d.obj)
		}
		n++
	}
	return n
}

// apply makes the change of one delta, which is staged. The caller holds mu.
func (s *Store[T]) apply(d *delta[T], to observer[T]) {
	switch d.kind {
	case set:
		old, existed := s.staging.commitSet(s.table, d.key, s.staging.next(), d.obj)
		if existed {
			to.emit(event[T]{kind: updated, old: old, obj: d.obj})
		} else {
			to.emit(event[T]{kind: added, obj: d.obj})
		}
	case deleted:
		if old, existed := s.staging.commitDelete(s.table, d.key, s.staging.next()); existed {
			last := d.obj
			if d.unseen || d.stored {
				last = old
			}
			to.emit(event[T]{kind: removed, finalStateUnknown: d.unseen, old: old, obj: last})
		}
	}
	s.advance(d.resourceVersion)
}

// replace makes a list of the API the content of the store. An item that is
// the same as the object in the store is dropped in its favour. Of the others, to gets first the objects that are gone, then the new and
// the changed ones in the order of items. The caller holds writing.
func (s *Store[T]) replace(list *delta[T], to observer[T]) {
	// Only a holder of writing changes the table: it can be read without mu.
	change := diff(s.table, list.items, list.same)
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
func (s *Store[T]) turn(change *difference[T]) (changes []Change[T], fresh *table[T]) {
	if change.size() <= s.table.objects.len()/2 {
		changes = change.changes()
		return changes, s.patch(changes)
	}
	return nil, s.table.rebuilt(change.kept)
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
