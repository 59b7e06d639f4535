package cache

// ring is a first-in, first-out list. It keeps no more than four times the memory
// that its items need, and none of what was taken out. The zero value is empty.
type ring[T any] struct {
	// slots has a power of two of elements. The items stand in it from first on,
	// and go on at its start behind its end.
	slots []T
	first int
	items int
}

// minimumSlots is the size of a ring with few items.
const minimumSlots = 16

func (r *ring[T]) len() int { return r.items }

// at returns the place of the item that i others are before of.
func (r *ring[T]) at(i int) *T { return &r.slots[(r.first+i)&(len(r.slots)-1)] }

func (r *ring[T]) push(item T) {
	if r.items == len(r.slots) {
		r.resize(max(minimumSlots, 2*len(r.slots)))
	}
	r.items++
	*r.at(r.items - 1) = item
}

// pop returns the oldest item and takes it out. There must be one.
func (r *ring[T]) pop() T {
	var none T
	oldest := r.at(0)
	item := *oldest
	*oldest = none
	r.first = (r.first + 1) & (len(r.slots) - 1)
	r.items--
	if len(r.slots) > minimumSlots && r.items < len(r.slots)/4 {
		r.resize(len(r.slots) / 2)
	}
	return item
}

func (r *ring[T]) resize(size int) {
	slots := make([]T, size)
	for i := range r.items {
		slots[i] = *r.at(i)
	}
	r.slots, r.first = slots, 0
}
