package cache

import (
	"iter"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
)

// Snapshot is what a store held at some time, in no order. It costs no copy: the
// store makes one when it changes. What it holds stays in memory as long as the
// snapshot.
type Snapshot[T any] struct {
	objects []table.Object
	form    *table.Form[T]
}

// Len returns the number of objects.
func (s Snapshot[T]) Len() int { return len(s.objects) }

// All iterates over the objects.
func (s Snapshot[T]) All() iter.Seq[T] { return s.each }

func (s Snapshot[T]) each(yield func(T) bool) {
	defer giveWay(len(s.objects))
	for _, o := range s.objects {
		if !yield(s.form.Unpack(o)) {
			return
		}
	}
}

// next takes one object out.
func (s *Snapshot[T]) next() T {
	o := s.objects[0]
	s.objects = s.objects[1:]
	return s.form.Unpack(o)
}

// Snapshot returns all objects.
func (s *Store[T]) Snapshot() Snapshot[T] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.snapshot(s.table.Objects())
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
	return s.snapshot(hits), nil
}

// snapshot returns the objects of a vector. The caller holds mu.
func (s *Store[T]) snapshot(of *table.Vector) Snapshot[T] {
	return Snapshot[T]{objects: of.Snapshot(), form: s.form.Load()}
}
