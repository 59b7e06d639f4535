package eventlog

import (
	"sync/atomic"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// Cursor is a position in a log. One goroutine uses it, and another one may close it at any time. The zero
// value is closed.
type Cursor struct {
	// segment is nil when the cursor is closed.
	segment atomic.Pointer[segment]
	at      int32
	passed  uint64
	// published is the value of passed that other goroutines see.
	published atomic.Uint64
}

// Passed returns how many events of the log lie before the cursor.
func (c *Cursor) Passed() uint64 { return c.passed }

// Publish lets other goroutines see how many events lie before the cursor.
func (c *Cursor) Publish() { c.published.Store(c.passed) }

// Published returns how many events lay before the cursor when it was last published. Any
// goroutine may call it.
func (c *Cursor) Published() uint64 { return c.published.Load() }

// Ready returns how many events can be read at the cursor before it looks at the log again. They are in one
// segment.
func (c *Cursor) Ready() int {
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
	// Now s has all its events. It may have got some since the check above.
	if n := s.n.Load(); c.at < n {
		return int(n - c.at)
	}
	if !c.segment.CompareAndSwap(s, next) {
		return 0
	}
	c.at = 0
	return int(next.n.Load())
}

// Cause returns the cause of the events that Ready has counted and that are not Watched. It is nil if there
// are none, or if the cursor was closed: then Next returns nil too.
func (c *Cursor) Cause() *cause.Cause {
	if s := c.segment.Load(); s != nil {
		return s.cause
	}
	return nil
}

// Next returns the event at the cursor, which must be ready, and moves on. The event is read-only. Next
// returns nil if the cursor was closed meanwhile.
func (c *Cursor) Next() *Event {
	s := c.segment.Load()
	if s == nil {
		return nil
	}
	e := &s.events[c.at]
	c.at++
	c.passed++
	return e
}
