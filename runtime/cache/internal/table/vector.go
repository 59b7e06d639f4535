package table

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// Vector is a dense list of objects that can be handed out without a copy. A snapshot shares the memory
// until the next change of an element, which is made in a copy. Appending never needs a copy, since a
// snapshot ends where the vector ended.
//
// Changes need the store's write lock, and snapshots its read lock.
type Vector struct {
	items []Object
	// shared is set by readers, possibly many at a time, and cleared by the writer.
	shared atomic.Bool
}

// Len returns the number of elements.
func (v *Vector) Len() int { return len(v.items) }

// Items returns the elements, for reading under the lock.
func (v *Vector) Items() []Object { return v.items }

// Snapshot returns the present elements, for reading only.
func (v *Vector) Snapshot() []Object {
	v.shared.Store(true)
	return v.items[:len(v.items):len(v.items)]
}

func (v *Vector) append(item Object) { v.items = append(v.items, item) }

func (v *Vector) set(i uint32, item Object) {
	v.own()
	v.items[i] = item
}

// swapRemove fills place i with the last element and shortens the vector.
func (v *Vector) swapRemove(i uint32) {
	v.own()
	last := len(v.items) - 1
	v.items[i] = v.items[last]
	v.items[last] = nil
	v.items = v.items[:last]
}

func (v *Vector) own() {
	if v.shared.Load() {
		v.items = slices.Clone(v.items)
		v.shared.Store(false)
	}
}

// mustMove reports whether a change that adds more elements needs new memory.
func (v *Vector) mustMove(more int) bool {
	return v.shared.Load() || cap(v.items)-len(v.items) < more
}

// roomier returns a copy of the elements with room for more. It needs only the writers' lock.
func (v *Vector) roomier(more int) []Object {
	if more == 0 {
		return slices.Clone(v.items)
	}
	n := len(v.items)
	return slices.Grow(v.items[:n:n], more)
}

// move replaces the memory of v by items, a copy of its elements.
func (v *Vector) move(items []Object) {
	v.items = items
	v.shared.Store(false)
}

// column is a Vector whose elements can also be read one by one without a lock.
type column struct {
	Vector
	// memory is the whole memory of items, including its free room.
	memory atomic.Pointer[[]Object]
}

// load returns the element at i. It is safe without a lock, but during a change it may return anything,
// which must not be used.
func (c *column) load(i uint32) Object {
	if memory := c.memory.Load(); memory != nil && int(i) < len(*memory) {
		return load(&(*memory)[i])
	}
	return nil
}

func (c *column) append(item Object) {
	n := len(c.items)
	if n == cap(c.items) {
		c.items = slices.Grow(c.items, 1)
	}
	c.items = c.items[:n+1]
	c.store(n, item)
}

func (c *column) set(i uint32, item Object) {
	if c.shared.Load() {
		c.own()
		c.publish()
	}
	store(&c.items[i], item)
}

func (c *column) swapRemove(i uint32) {
	c.own()
	last := len(c.items) - 1
	c.store(int(i), c.items[last])
	c.store(last, nil)
	c.items = c.items[:last]
}

// replace replaces the elements by items.
func (c *column) replace(items []Object) {
	c.move(items)
	c.publish()
}

func (c *column) store(i int, item Object) {
	store(&c.items[i], item)
	c.publish()
}

// publish makes the memory of items visible to load, if it is not yet.
func (c *column) publish() {
	if memory := c.memory.Load(); memory == nil || unsafe.SliceData(*memory) != unsafe.SliceData(c.items) {
		all := c.items[:cap(c.items)]
		c.memory.Store(&all)
	}
}
