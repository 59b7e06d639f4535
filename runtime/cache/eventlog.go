package cache

import "sync/atomic"

// segmentSize is how many events one segment of the log holds. What a segment
// holds stays in memory until the last cursor has left the segment.
const segmentSize = 64

// eventLog holds the events of a store in the order in which they happened,
// once for all handlers: each reads with a cursor of its own. The log only
// knows its end. What every cursor has passed is garbage by itself.
//
// Appending and showing need the write lock of the store; cursors read without
// a lock.
type eventLog[T any] struct {
	// tail is the last segment, of which filled events are there; nil while
	// nobody reads the log.
	tail   *segment[T]
	filled int32
	// cursors counts those who read the log. Guarded by the store's lock.
	cursors int
	// appended counts the events that were ever appended, length those that
	// cursors can see.
	appended uint64
	length   atomic.Uint64
}

// segment is a part of the log. Its first n events are there to stay, and are all that
// it gets once there is a next one. They are in
// memory of their own: a handler that is stuck with one of them keeps only these, and
// not what follows in the log.
type segment[T any] struct {
	events *[segmentSize]event[T]
	n      atomic.Int32
	next   atomic.Pointer[segment[T]]
}

func newSegment[T any]() *segment[T] {
	return &segment[T]{events: new([segmentSize]event[T])}
}

// append adds an event, which cursors see after show.
func (l *eventLog[T]) append(e event[T]) {
	if l.cursors == 0 {
		return
	}
	if l.filled == segmentSize {
		next := newSegment[T]()
		l.tail.n.Store(segmentSize)
		l.tail.next.Store(next)
		l.tail, l.filled = next, 0
	}
	l.tail.events[l.filled] = e
	l.filled++
	l.appended++
}

// chain holds events that are not in the log yet, in segments as the log has them. It
// is built without a lock.
type chain[T any] struct {
	first, last *segment[T]
	n           int
}

func (c *chain[T]) append(e event[T]) {
	at := c.n % segmentSize
	if at == 0 {
		next := newSegment[T]()
		if c.last == nil {
			c.first = next
		} else {
			c.last.next.Store(next)
		}
		c.last = next
	}
	c.last.events[at] = e
	c.last.n.Store(int32(at + 1))
	c.n++
}

// appendChain appends the events of a chain, which nobody else has, however many they
// are in the same time. What was appended before is shown with them.
func (l *eventLog[T]) appendChain(c *chain[T]) {
	if l.cursors == 0 || c.n == 0 {
		return
	}
	l.tail.n.Store(l.filled)
	l.tail.next.Store(c.first)
	l.tail, l.filled = c.last, c.last.n.Load()
	l.appended += uint64(c.n)
}

// show lets cursors see what was appended.
func (l *eventLog[T]) show() {
	if l.tail != nil {
		l.tail.n.Store(l.filled)
		l.length.Store(l.appended)
	}
}

// open places a cursor at the end of the log. The caller holds the write lock of
// the store.
func (l *eventLog[T]) open(c *cursor[T]) {
	if l.cursors == 0 {
		l.tail, l.filled = newSegment[T](), 0
	}
	l.cursors++
	c.at, c.passed = l.filled, l.appended
	c.segment.Store(l.tail)
}

// close takes a cursor out of the log. The caller holds the write lock of the
// store.
func (l *eventLog[T]) close(c *cursor[T]) {
	c.segment.Store(nil)
	l.cursors--
	if l.cursors == 0 {
		l.tail = nil
	}
}

// cursor is a position in the log. It is used by one goroutine, which may be away
// for long when another one closes it.
type cursor[T any] struct {
	// segment is nil when the cursor is closed.
	segment atomic.Pointer[segment[T]]
	at      int32
	// passed is how many events of the log lie before the cursor.
	passed uint64
}

// ready returns how many events can be read at the cursor without another look
// at the log: those of one segment.
func (c *cursor[T]) ready() int {
	s := c.segment.Load()
	if s == nil {
		return 0
	}
	if n := s.n.Load(); c.at < n {
		return int(n - c.at)
	}
	next := s.next.Load()
	if next == nil {
		return 0
	}
	// Now s has all its events: it may have got some since.
	if n := s.n.Load(); c.at < n {
		return int(n - c.at)
	}
	if !c.segment.CompareAndSwap(s, next) {
		return 0
	}
	c.at = 0
	return int(next.n.Load())
}

// next returns the event at the cursor, which must be ready, and moves on. It
// returns nil if the cursor was closed meanwhile.
func (c *cursor[T]) next() *event[T] {
	s := c.segment.Load()
	if s == nil {
		return nil
	}
	e := &s.events[c.at]
	c.at++
	c.passed++
	return e
}
