// Package queue carries a reflector's deltas to the store.
package queue

import "sync"

const (
	// limit is the number of waiting items at which producers wait: a store that can't keep up slows the
	// stream down instead of filling the memory.
	limit = 4096
	// shortBurst is the largest number of items whose memory is reused for later items.
	shortBurst = 512
)

// Queue carries items from producers to one consumer, in the order of their arrival.
type Queue[T any] struct {
	// resized is called, with mu held, with the number of items that wait.
	resized func(int)

	mu      sync.Mutex
	changed sync.Cond
	items   []T
	closed  bool
	// waiting reports whether the consumer waits for items and has handled all earlier ones.
	waiting bool
}

// New returns an empty queue. resized is called with the number of waiting items, whenever it changes, and
// must return at once.
func New[T any](resized func(int)) *Queue[T] {
	q := &Queue[T]{resized: resized}
	q.changed.L = &q.mu
	return q
}

// Push adds an item. It blocks while limit items wait. That ends, since the consumer pops until the queue
// is closed and empty.
func (q *Queue[T]) Push(item T) {
	q.mu.Lock()
	for len(q.items) >= limit {
		q.changed.Wait()
	}
	q.items = append(q.items, item)
	waiting := len(q.items)
	q.resized(waiting)
	q.mu.Unlock()
	if waiting == 1 {
		q.changed.Broadcast()
	}
}

// Pop removes and returns all items, oldest first, and blocks while there are none. It returns none once
// the queue is closed and empty. It reuses the memory of buf, which an earlier Pop returned.
func (q *Queue[T]) Pop(buf []T) []T {
	clear(buf)
	if cap(buf) > shortBurst && len(buf) <= shortBurst {
		buf = nil // the burst is over
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.waiting = true
		q.changed.Wait()
	}
	q.waiting = false
	if len(q.items) >= limit {
		defer q.changed.Broadcast()
	}
	popped := q.items
	q.items = buf[:0]
	q.resized(0)
	return popped
}

// Consumed reports whether the consumer has handled everything that was pushed.
func (q *Queue[T]) Consumed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting && len(q.items) == 0
}

// Close closes the queue: Pop returns the remaining items, and then none. Nothing may be pushed after it.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
