// Package eventlog holds the changes of a store in the order in which they happened,
// once for all handlers: each reads with a Cursor of its own.
//
// A Log is a list of segments, and has a pointer to the last one only: segments that every
// cursor has passed are garbage. A Chain collects events before the store is locked, Logs are
// the two logs of a store, and a Signal wakes goroutines that wait for more. A Merger reads for a handler that needs the
// latest state of an object only.
package eventlog

import (
	"sync/atomic"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// SegmentSize is the largest number of events in a segment of the log. A segment's events stay
// in memory until the last cursor has left the segment.
const SegmentSize = 64

// Log holds events. The zero value is empty, and without readers: what is appended to it
// then is not kept.
//
// Its methods need the write lock of the store, but for Len. Cursors read without a lock.
type Log struct {
	// tail is the last segment, which has filled events; nil while the log has no
	// cursors.
	tail   *segment
	filled int32
	// cursors counts the open cursors.
	cursors int
	// appended counts the events that were ever appended. Length is as many before cursors
	// can see them.
	appended uint64
	length   atomic.Uint64
}

// segment is a part of the log. Its first n events are there to stay, and are all that
// it gets once there is a next one. They are in memory of their own: a handler that is
// stuck with one of them keeps only these, and not what follows in the log.
type segment struct {
	// events is nil before the first: a log may be without events for long.
	events *[SegmentSize]Event
	n      atomic.Int32
	next   atomic.Pointer[segment]
	// cause is that of the events that are not Watched.
	cause *cause.Cause
}

// put makes e the event at a place.
func (s *segment) put(at int32, e *Event) {
	if s.events == nil {
		s.events = new([SegmentSize]Event)
	}
	s.events[at] = *e
}

// HasReaders reports whether there is a cursor.
func (l *Log) HasReaders() bool { return l.cursors > 0 }

// End returns how many events were ever appended.
func (l *Log) End() uint64 { return l.appended }

// Len returns how many events there are for cursors: all that one can have seen, maybe some
// more that are about to be shown. It needs no lock.
func (l *Log) Len() uint64 { return l.length.Load() }

// Append adds an event, which cursors see after Show.
func (l *Log) Append(e *Event) {
	if l.cursors == 0 {
		return
	}
	if l.filled == SegmentSize {
		l.length.Store(l.appended)
		next := new(segment)
		l.tail.n.Store(SegmentSize)
		l.tail.next.Store(next)
		l.tail, l.filled = next, 0
	}
	l.tail.put(l.filled, e)
	l.filled++
	l.appended++
}

// AppendChain appends the events of a chain, which must not be used afterwards. The time
// that it takes does not depend on their number. What was appended before is shown with
// them.
func (l *Log) AppendChain(c *Chain) {
	if l.cursors == 0 || c.n == 0 {
		return
	}
	l.appended += uint64(c.n)
	l.length.Store(l.appended)
	l.tail.n.Store(l.filled)
	l.tail.next.Store(c.first)
	l.tail, l.filled = c.last, c.last.n.Load()
}

// Show lets cursors see what was appended.
func (l *Log) Show() {
	if l.tail != nil {
		l.length.Store(l.appended)
		l.tail.n.Store(l.filled)
	}
}

// Open places a cursor at the end of the log.
func (l *Log) Open(c *Cursor) {
	if l.cursors == 0 {
		l.tail, l.filled = new(segment), 0
	}
	l.cursors++
	c.at, c.passed = l.filled, l.appended
	c.Publish()
	c.segment.Store(l.tail)
}

// Close takes a cursor out of the log.
func (l *Log) Close(c *Cursor) {
	c.segment.Store(nil)
	l.cursors--
	if l.cursors == 0 {
		l.tail = nil
	}
}

// Chain holds events that are not in the log yet, in segments as the log has them. It
// is built without a lock. The zero value is empty.
type Chain struct {
	// Cause is that of the events.
	Cause       *cause.Cause
	first, last *segment
	n           int
}

// Append adds an event.
func (c *Chain) Append(e *Event) {
	at := int32(c.n % SegmentSize)
	if at == 0 {
		next := &segment{cause: c.Cause}
		if c.last == nil {
			c.first = next
		} else {
			c.last.next.Store(next)
		}
		c.last = next
	}
	c.last.put(at, e)
	c.last.n.Store(at + 1)
	c.n++
}
