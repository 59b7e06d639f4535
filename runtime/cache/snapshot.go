package cache

import "iter"

// Snapshot is what a store held at some time, in no order. It costs no copy: the
// store makes one when it changes. What it holds stays in memory as long as the
// snapshot.
type Snapshot[T any] struct{ objects []T }

// Len returns the number of objects.
func (s Snapshot[T]) Len() int { return len(s.objects) }

// All iterates over the objects.
func (s Snapshot[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { each(s.objects, yield) }
}

// Snapshot returns all objects.
func (s *Store[T]) Snapshot() Snapshot[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return Snapshot[T]{s.table.objects.snapshot()}
}

// SnapshotByIndex returns the objects that have that value in an index. Possible
// errors: ErrIndexUnknown.
func (s *Store[T]) SnapshotByIndex(name, value string) (Snapshot[T], error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	hits, known := s.hits(name, value)
	switch {
	case !known:
		return Snapshot[T]{}, unknownIndex(name)
	case hits == nil:
		return Snapshot[T]{}, nil
	}
	return Snapshot[T]{hits.snapshot()}, nil
}
