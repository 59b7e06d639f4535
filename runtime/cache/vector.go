package cache

import (
	"slices"
	"sync/atomic"
	"unsafe"
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

// mustMove reports whether a change, after which there are so many more elements, needs
// other memory.
func (v *vector[T]) mustMove(more int) bool {
	return v.shared.Load() || cap(v.items)-len(v.items) < more
}

// roomier returns a copy of the elements in memory of its own, with room for so many
// more. It needs no lock but that of writers.
func (v *vector[T]) roomier(more int) []T {
	if more == 0 {
		return slices.Clone(v.items)
	}
	n := len(v.items)
	return slices.Grow(v.items[:n:n], more)
}

// move makes a copy of the elements the memory of v.
func (v *vector[T]) move(items []T) {
	v.items = items
	v.shared.Store(false)
}

// column is a vector whose elements can also be read one by one without a lock, if
// isWords is true of T.
type column[T any] struct {
	vector[T]
	isWords bool
	// memory is all that items has room in.
	memory atomic.Pointer[[]T]
}

func newColumn[T any](size int) column[T] {
	return column[T]{vector: vector[T]{items: make([]T, 0, size)}, isWords: isWords[T]()}
}

// load returns the element at i. It is safe without a lock, but while somebody writes
// it may return anything, which must not be looked at.
func (c *column[T]) load(i uint32) (item T) {
	if memory := c.memory.Load(); memory != nil && int(i) < len(*memory) {
		return loadWords(&(*memory)[i])
	}
	return item
}

func (c *column[T]) append(item T) {
	n := len(c.items)
	if n == cap(c.items) {
		c.items = slices.Grow(c.items, 1)
	}
	c.items = c.items[:n+1]
	c.store(n, item)
}

func (c *column[T]) set(i uint32, item T) {
	if c.shared.Load() {
		c.own()
		c.publish()
	}
	if c.isWords {
		storeWords(&c.items[i], item)
	} else {
		c.items[i] = item
	}
}

func (c *column[T]) swapRemove(i uint32) {
	c.own()
	last := len(c.items) - 1
	c.store(int(i), c.items[last])
	var zero T
	c.store(last, zero)
	c.items = c.items[:last]
}

// replace makes items the elements.
func (c *column[T]) replace(items []T) {
	c.move(items)
	c.publish()
}

func (c *column[T]) store(i int, item T) {
	if !c.isWords {
		c.items[i] = item
		return
	}
	storeWords(&c.items[i], item)
	c.publish()
}

// publish lets load see the memory of items, if it does not yet.
func (c *column[T]) publish() {
	if memory := c.memory.Load(); memory == nil || unsafe.SliceData(*memory) != unsafe.SliceData(c.items) {
		all := c.items[:cap(c.items)]
		c.memory.Store(&all)
	}
}
