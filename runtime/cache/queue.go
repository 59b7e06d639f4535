package cache

import "sync"

const (
	// queueLimit limits how many deltas may wait for the store before the reflector waits: a
	// store that can't keep up slows the stream down instead of filling the memory.
	queueLimit = 4096
	// batchLimit is the largest number of deltas in a commit. It bounds how long readers wait.
	batchLimit = 512
)

// queue carries deltas from the reflector to the store, in the order of their
// arrival.
type queue struct {
	// resized is called, with mu held, with the number of deltas that wait.
	resized func(int)

	mu      sync.Mutex
	changed sync.Cond
	deltas  []delta
	closed  bool
	// waiting reports whether the consumer waits for deltas, and is done with all before.
	waiting bool
}

func newQueue(resized func(int)) *queue {
	q := &queue{resized: resized}
	q.changed.L = &q.mu
	return q
}

// push adds a delta. It blocks while queueLimit others wait, which ends since
// the consumer pops until the queue is closed and empty.
func (q *queue) push(d delta) {
	q.mu.Lock()
	for len(q.deltas) >= queueLimit {
		q.changed.Wait()
	}
	q.deltas = append(q.deltas, d)
	waiting := len(q.deltas)
	q.resized(waiting)
	q.mu.Unlock()
	if waiting == 1 {
		q.changed.Broadcast()
	}
}

// pop returns all deltas, oldest first, and blocks while there are none. It
// returns none once the queue is closed and empty. The memory of buf, what an
// earlier pop returned, is used again.
func (q *queue) pop(buf []delta) []delta {
	clear(buf)
	if cap(buf) > batchLimit && len(buf) <= batchLimit {
		buf = nil // the burst is over
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.deltas) == 0 && !q.closed {
		q.waiting = true
		q.changed.Wait()
	}
	q.waiting = false
	if len(q.deltas) >= queueLimit {
		defer q.changed.Broadcast()
	}
	popped := q.deltas
	q.deltas = buf[:0]
	q.resized(0)
	return popped
}

// consumed reports whether the consumer is done with all that was pushed.
func (q *queue) consumed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting && len(q.deltas) == 0
}

// close lets pop end when all is popped. Nothing may be pushed after it.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
