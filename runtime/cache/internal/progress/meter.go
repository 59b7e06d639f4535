// Package progress measures the calls of handlers.
package progress

import (
	"sync/atomic"
	"time"
)

const (
	// A meter measures calls in steps, since measuring each call would cost as much as the call. A step
	// grows up to longestStep calls as long as steps take less than quickStep. It is reset to one call when
	// a step takes more than slowStep.
	longestStep = 64
	quickStep   = 20 * time.Microsecond
	slowStep    = time.Millisecond
)

// Clock measures the time since its creation.
type Clock struct{ began time.Time }

// NewClock returns a clock that starts at zero.
func NewClock() Clock { return Clock{time.Now()} }

func (c Clock) now() time.Duration { return time.Since(c.began) }

// Millis returns the time in the form that events carry. It starts over after 49 days, but differences stay
// right.
func (c Clock) Millis() uint32 { return uint32(c.now().Milliseconds()) }

// Meter measures the calls of one handler. The goroutine that makes the calls writes it, and any goroutine
// may call Read.
type Meter struct {
	clock *Clock

	// delivered counts the calls.
	delivered atomic.Uint64
	// since is when the running step began, or negative if none is running. at is the time of its first
	// event.
	since   atomic.Int64
	at      atomic.Uint32
	longest atomic.Int64
	panics  atomic.Int32
	// lastPanic is in nanoseconds of Unix time.
	lastPanic atomic.Int64

	// The fields below belong to the goroutine that makes the calls. They are the number of calls, the call
	// at which the next step begins, the length of the running step, and when it began.
	calls, next, stride uint64
	began               time.Duration
}

// New returns a meter for events whose times come from a clock.
func New(clock *Clock) *Meter {
	m := &Meter{clock: clock, stride: 1}
	m.since.Store(-1)
	return m
}

// Due reports whether the next call begins a step.
func (m *Meter) Due() bool { return m.calls >= m.next }

// Called notes that a call has returned.
func (m *Meter) Called() { m.calls++ }

// Panicked notes that a call, and with it the running step, has ended in a panic.
func (m *Meter) Panicked() {
	m.lastPanic.Store(time.Now().UnixNano())
	m.panics.Add(1)
	m.calls++
	m.Idle()
}

// Step ends the running step, if there is one, and begins the next one with an event of the given time.
func (m *Meter) Step(at uint32) {
	now := m.clock.now()
	m.end(now)
	m.began = now
	m.next = m.calls + m.stride
	m.at.Store(at)
	m.since.Store(int64(now))
}

// Idle ends the running step, since no event waits for the handler.
func (m *Meter) Idle() {
	if m.since.Load() < 0 {
		return
	}
	m.end(m.clock.now())
	m.next = m.calls
	m.since.Store(-1)
}

func (m *Meter) end(now time.Duration) {
	m.delivered.Store(m.calls)
	if m.since.Load() < 0 {
		return
	}
	took := now - m.began
	if int64(took) > m.longest.Load() {
		m.longest.Store(int64(took))
	}
	switch {
	case took < quickStep:
		m.stride = min(2*m.stride, longestStep)
	case took > slowStep:
		m.stride = 1
	}
}

// Reading holds the measurements of a meter.
type Reading struct {
	// Delivered counts the calls, except for the running step's. Longest is the duration of the longest
	// call, including a call in progress.
	Delivered uint64
	Longest   time.Duration
	// Lag is the time since the first event of the running step. It is zero if no step is running.
	Lag time.Duration
	// Panics counts the calls that ended in a panic, and LastPanic is when the last one did.
	Panics    int
	LastPanic time.Time
}

// Read returns the measurements.
func (m *Meter) Read() Reading {
	since, at := m.since.Load(), m.at.Load()
	now := m.clock.now() // no earlier than both
	r := Reading{Delivered: m.delivered.Load(), Longest: time.Duration(m.longest.Load()), Panics: int(m.panics.Load())}
	if r.Panics > 0 {
		r.LastPanic = time.Unix(0, m.lastPanic.Load())
	}
	if since >= 0 {
		r.Longest = max(r.Longest, now-time.Duration(since))
		r.Lag = time.Duration(uint32(now.Milliseconds())-at) * time.Millisecond
	}
	return r
}
