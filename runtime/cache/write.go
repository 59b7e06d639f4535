package cache

import (
	"fmt"

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
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.set(key, obj)
	s.advance(resourceVersionOf(obj))
	return nil
}

// Delete removes the object of that key and returns it, if there was one.
func (s *Store[T]) Delete(key types.NamespacedName) (T, bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.delete(key)
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
	s.mu.Lock()
	defer s.mu.Unlock()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range changes {
		if c := &changes[i]; c.Delete {
			s.table.delete(c.Key)
		} else {
			s.table.set(c.Key, c.Object)
		}
	}
	s.see(resourceVersion)
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
	if resourceVersion == "" || s.resourceVersion == "" {
		s.see(resourceVersion)
		return
	}
	order, err := resourceversion.CompareResourceVersion(resourceVersion, s.resourceVersion)
	if err != nil || order > 0 {
		s.see(resourceVersion)
	}
}

// observer is told of the changes of a store while mu is held: nobody can read
// a change that the observer has not been told of, or the other way round.
type observer[T any] interface {
	// emit is called for each change.
	emit(event[T])
	// wantsUnchanged reports whether to emit what a replace found as it was.
	wantsUnchanged() bool
	// relisted is called after the changes of a replace.
	relisted()
	// committed is called after one or more changes, when the lock is about to
	// be released.
	committed()
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
		n := 0
		for n < len(batch) && batch[n].kind != replaced {
			n++
		}
		s.mu.Lock()
		for i := range batch[:n] {
			s.apply(&batch[i], to)
		}
		to.committed()
		s.mu.Unlock()
		batch = batch[n:]
	}
}

// apply makes the change of one delta. The caller holds mu.
func (s *Store[T]) apply(d *delta[T], to observer[T]) {
	switch d.kind {
	case set:
		old, existed := s.table.set(d.key, d.obj)
		if existed {
			to.emit(event[T]{kind: updated, old: old, obj: d.obj})
		} else {
			to.emit(event[T]{kind: added, obj: d.obj})
		}
	case deleted:
		if old, existed := s.table.delete(d.key); existed {
			last := d.obj
			if d.unseen || d.stored {
				last = old
			}
			to.emit(event[T]{kind: removed, finalStateUnknown: d.unseen, old: old, obj: last})
		}
	}
	s.advance(d.resourceVersion)
}

// replace makes a list of the API the content of the store. An item that is the
// same as the object in the store is dropped in its favour. Of the others, to is told first of the objects that are gone, then of
// the new and the changed ones in the order of items. The caller holds writing.
func (s *Store[T]) replace(list *delta[T], to observer[T]) {
	// Only a holder of writing changes the table: it can be read without mu.
	change := diff(s.table, list.items, list.same)
	if change.size() > s.table.objects.len()/2 {
		fresh := s.table.rebuilt(change.kept)
		s.mu.Lock()
		s.table.become(fresh)
	} else {
		s.mu.Lock()
		change.patch(s.table)
	}
	defer s.mu.Unlock()
	s.see(list.resourceVersion)
	change.tell(to)
	to.committed()
	to.relisted()
}
