// Package progress measures the calls of handlers.
package progress

import (
	"sync/atomic"
	"time"
)

const (
	// A meter measures calls in steps, since to measure each one would cost as much as the
	// call. Steps grow up to longestStep calls as long as one takes less than quickStep, and
	// are reset to one call when one takes more than slowStep.
	longestStep = 64
	quickStep   = 20 * time.Microsecond
	slowStep    = time.Millisecond
)

// Clock measures the time since it was made.
type Clock struct{ began time.Time }

// NewClock returns a clock that starts at zero.
func NewClock() Clock { return Clock{time.Now()} }

func (c Clock) now() time.Duration { return time.Since(c.began) }

// Millis is the time in the form in which events carry it. It starts over after 49
// days, which differences survive.
func (c Clock) Millis() uint32 { return uint32(c.now().Milliseconds()) }

// Meter measures the calls of one handler. The goroutine that makes the calls writes it, and
// any goroutine may Read it.
type Meter struct {
	clock *Clock

	// delivered counts the calls.
	delivered atomic.Uint64
	// since is when the running step began, negative if none does, and at the time
	// of its first event.
	since   atomic.Int64
	at      atomic.Uint32
	longest atomic.Int64
	panics  atomic.Int32
	// lastPanic is in nanoseconds of Unix time.
	lastPanic atomic.Int64

	// What is below is the goroutine's own: the number of calls, that at which the
	// next step begins, how many the running one is to have, and when it began.
	calls, next, stride uint64
	began               time.Duration
}

// New returns a meter whose events have the times of a clock.
func New(clock *Clock) *Meter {
	m := &Meter{clock: clock, stride: 1}
	m.since.Store(-1)
	return m
}

// Due reports whether the next call begins a stem.
func (m *Meter) Due() bool { return m.calls >= m.next }

// Called notes that a call has returned.
func (m *Meter) Called() { m.calls++ }

// Panicked notes that a call has ended in a panic, and with it the running step.
func (m *Meter) Panicked() {
	m.lastPanic.Store(time.Now().UnixNano())
	m.panics.Add(1)
	m.calls++
	m.Idle()
}

// Step ends the running step, if there is one, and begins the next with an event
// that happened at that time.
func (m *Meter) Step(at uint32) {
	now := m.clock.now()
	m.end(now)
	m.began = now
	m.next = m.calls + m.stride
	m.at.Store(at)
	m.since.Store(int64(now))
}

// Idle ends the running step: there is no event to call the handler for.
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

// Reading has the measurements of a meter.
type Reading struct {
	// Delivered counts the calls, but for those of the running step. Longest is the time that
	// the longest call took, or takes.
	Delivered uint64
	Longest   time.Duration
	// Lag is the time since the event happened with which the running step began; zero if none
	// runs.
	Lag time.Duration
	// Panics counts the calls that ended in a panic, and LastPanic is when the last did.
	Panics    int
	LastPanic time.Time
}

// Read returns what the meter has measured.
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
