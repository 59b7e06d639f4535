package cache

import (
	"slices"
	"sync/atomic"
)

// vector is a dense list of objects that can be handed out without a copy: a
// snapshot shares the memory until the next change of one of its elements,
// which is made in a copy. Appending never needs one, since a snapshot ends
// where the vector ended.
//
// Changes need the write lock of the store, snapshots its read lock.
type vector[T any] struct {
	items []T
	// shared is set by readers, many at a time, and cleared by the writer.
	shared atomic.Bool
}

func (v *vector[T]) len() int { return len(v.items) }

// snapshot returns the elements as they are now, for reading only.
func (v *vector[T]) snapshot() []T {
	v.shared.Store(true)
	return v.items[:len(v.items):len(v.items)]
}

func (v *vector[T]) append(item T) { v.items = append(v.items, item) }

func (v *vector[T]) set(i uint32, item T) {
	v.own()
	v.items[i] = item
}

// swapRemove fills place i with the last element and shortens the vector.
func (v *vector[T]) swapRemove(i uint32) {
	v.own()
	last := len(v.items) - 1
	v.items[i] = v.items[last]
	var zero T
	v.items[last] = zero
	v.items = v.items[:last]
}

func (v *vector[T]) own() {
	if v.shared.Load() {
		v.items = slices.Clone(v.items)
		v.shared.Store(false)
	}
}
