// Package eventlog holds the changes of a store in the order in which they happened, once for all handlers.
// Each handler reads with its own Cursor.
//
// A Log is a list of segments, and refers to the last one only: segments that every cursor has passed are
// garbage. A Chain collects events before the store is locked. Logs are the two logs of a store. A Signal
// wakes waiting goroutines. A Merger reads for a handler that needs only the latest state of an object.
package eventlog

import (
	"sync/atomic"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// SegmentSize is the largest number of events in a segment of the log. A segment's events stay
// in memory until the last cursor has left the segment.
const SegmentSize = 64

// Log holds events. The zero value is empty and has no readers. Events that are appended while there are no
// readers are not kept.
//
// Its methods need the store's write lock, except for Len. Cursors read without a lock.
type Log struct {
	// tail is the last segment, which has filled events. It is nil while the log has no cursors.
	tail   *segment
	filled int32
	// cursors counts the open cursors.
	cursors int
	// appended counts the events that were ever appended. length is set to it before cursors can see the
	// events.
	appended uint64
	length   atomic.Uint64
}

// segment is a part of the log. Its first n events never change. Once there is a next segment, it gets no
// more. Its events are allocated separately: a stuck handler that holds one of them keeps these in memory,
// but not the rest of the log.
type segment struct {
	// events is nil before the first event, since a log may be empty for long.
	events *[SegmentSize]Event
	n      atomic.Int32
	next   atomic.Pointer[segment]
	// cause is the cause of the events that are not Watched.
	cause *cause.Cause
}

// put stores e as the event at a place.
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

// Len returns how many events cursors can have seen. Some more may be about to be shown. It needs no lock.
func (l *Log) Len() uint64 { return l.length.Load() }

// Append adds an event. Cursors see it after Show.
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

// AppendChain appends the events of a chain, which must not be used afterwards. Its duration does not
// depend on their number. It also shows events that were appended before.
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

// Show makes appended events visible to cursors.
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

// Close removes a cursor from the log.
func (l *Log) Close(c *Cursor) {
	c.segment.Store(nil)
	l.cursors--
	if l.cursors == 0 {
		l.tail = nil
	}
}

// Chain holds events that are not in the log yet, in segments like the log's. It is built without a lock.
// The zero value is empty.
type Chain struct {
	// Cause is the cause of the events.
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
