package cache

import (
	"sync"
	"sync/atomic"
)

// segmentSize is how many events one segment of the log holds. What a segment
// holds stays in memory until the last cursor has left the segment.
const segmentSize = 64

// eventLog holds the events of a store in the order in which they happened,
// once for all handlers: each reads with a cursor of its own. The log only
// knows its end. What every cursor has passed is garbage by itself.
//
// Appending needs the write lock of the store; cursors read without a lock.
type eventLog[T any] struct {
	// tail is the last segment; nil while nobody reads the log.
	tail *segment[T]
	// cursors counts those who read the log. Guarded by the store's lock.
	cursors int
	// length counts the events that were ever appended.
	length atomic.Uint64

	waiting sync.Mutex
	// grown is closed and forgotten at the next growth; nil if nobody waits.
	grown chan struct{}
}

// segment is a part of the log. Its first n events are there to stay.
type segment[T any] struct {
	events [segmentSize]event[T]
	n      atomic.Int32
	next   atomic.Pointer[segment[T]]
}

// append adds an event. Readers who wait are woken by publish.
func (l *eventLog[T]) append(e event[T]) {
	if l.cursors == 0 {
		return
	}
	n := l.tail.n.Load()
	if n == segmentSize {
		next := &segment[T]{}
		l.tail.next.Store(next)
		l.tail, n = next, 0
	}
	l.tail.events[n] = e
	l.tail.n.Store(n + 1)
	l.length.Add(1)
}

// publish wakes who waits for an event.
func (l *eventLog[T]) publish() {
	l.waiting.Lock()
	grown := l.grown
	l.grown = nil
	l.waiting.Unlock()
	if grown != nil {
		close(grown)
	}
}

// open returns a cursor at the end of the log. The caller holds the write lock
// of the store.
func (l *eventLog[T]) open() cursor[T] {
	if l.cursors == 0 {
		l.tail = &segment[T]{}
	}
	l.cursors++
	return l.end()
}

// end returns the position behind the last event, without counting it as a
// cursor. The caller holds a lock of the store.
func (l *eventLog[T]) end() cursor[T] {
	if l.tail == nil {
		return cursor[T]{}
	}
	return cursor[T]{segment: l.tail, at: l.tail.n.Load(), passed: l.length.Load()}
}

// close ends the reading of one cursor. The caller holds the write lock of the
// store.
func (l *eventLog[T]) close() {
	l.cursors--
	if l.cursors == 0 {
		l.tail = nil
	}
}

// growth returns a channel that is closed when c has an event to read, or nil
// if it has one at once.
func (l *eventLog[T]) growth(c *cursor[T]) <-chan struct{} {
	l.waiting.Lock()
	defer l.waiting.Unlock()
	if c.more() {
		return nil
	}
	if l.grown == nil {
		l.grown = make(chan struct{})
	}
	return l.grown
}

// cursor is a position in the log. It is used by one goroutine.
type cursor[T any] struct {
	segment *segment[T]
	at      int32
	// passed is how many events of the log lie before the cursor.
	passed uint64
}

// more reports whether there is an event at the cursor.
func (c *cursor[T]) more() bool {
	if c.at == segmentSize {
		next := c.segment.next.Load()
		if next == nil {
			return false
		}
		c.segment, c.at = next, 0
	}
	return c.at < c.segment.n.Load()
}

// next returns the event at the cursor and moves on. There must be one.
func (c *cursor[T]) next() *event[T] {
	e := &c.segment.events[c.at]
	c.at++
	c.passed++
	return e
}
