package cache

import (
	"iter"
	"runtime"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/table"
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Snapshot holds the objects of a store at one time, in no order. Taking one copies nothing: the store
// copies when it changes. The objects stay in memory as long as the Snapshot, and must not be mutated. It
// is safe for concurrent use.
type Snapshot[T any] struct {
	words []table.Object
	form  *table.Form
}

// Len returns the number of objects.
func (s Snapshot[T]) Len() int { return len(s.words) }

// All iterates over the objects.
func (s Snapshot[T]) All() iter.Seq[T] { return s.each }

func (s Snapshot[T]) each(yield func(T) bool) {
	defer giveWay(len(s.words))
	if objects, ok := reader.Pointers[T](s.words, s.form); ok {
		for _, obj := range objects {
			if !yield(obj) {
				return
			}
		}
		return
	}
	for _, o := range s.words {
		if obj, ok := reader.To[T](s.form.Unpack(o)); ok && !yield(obj) {
			return
		}
	}
}

// next removes and returns one object.
func (s *Snapshot[T]) next() T {
	o := s.words[0]
	s.words = s.words[1:]
	return reader.As[T](s.form.Unpack(o))
}

// longRead limits how many objects a read may return without giving way.
const longRead = 2048

// giveWay yields the processor after a read of n objects if that was a long one. Goroutines that list
// without pause hold the processors for 10 ms at a time. If there are more of them than processors, each
// step of an event from the source to the handlers would wait for several such time slices.
func giveWay(n int) {
	if n > longRead {
		runtime.Gosched()
	}
}
