package cache

import (
	"sync/atomic"
	"time"
)

const (
	// A listener measures its calls in steps, since to measure each one would cost as
	// much as the call. Steps grow up to longestStep calls as long as one takes less
	// than quickStep, and are reset to one call when one takes more than slowStep.
	longestStep = 64
	quickStep   = 20 * time.Microsecond
	slowStep    = time.Millisecond
)

// clock measures the time since it was made.
type clock struct{ began time.Time }

func (c clock) now() time.Duration { return time.Since(c.began) }

// millis is the time in the form in which events carry it. It starts over after 49
// days, which differences survive.
func (c clock) millis() uint32 { return uint32(c.now().Milliseconds()) }

// progress measures how far a listener is. Its goroutine steps, other goroutines read.
type progress struct {
	clock *clock

	// toReplay counts the initial objects that the handler has still to be given. delivered
	// counts the handler's calls.
	toReplay  atomic.Int64
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

func newProgress(clock *clock) *progress {
	p := &progress{clock: clock, stride: 1}
	p.since.Store(-1)
	return p
}

// due reports whether the next call begins a step.
func (p *progress) due() bool { return p.calls >= p.next }

// step ends the running step, if there is one, and begins the next with an event
// that happened at that time.
func (p *progress) step(at uint32) {
	now := p.clock.now()
	p.end(now)
	p.began = now
	p.next = p.calls + p.stride
	p.at.Store(at)
	p.since.Store(int64(now))
}

// idle ends the running step: there is no event to call the handler for.
func (p *progress) idle() {
	if p.since.Load() < 0 {
		return
	}
	p.end(p.clock.now())
	p.next = p.calls
	p.since.Store(-1)
}

func (p *progress) end(now time.Duration) {
	p.delivered.Store(p.calls)
	if p.since.Load() < 0 {
		return
	}
	took := now - p.began
	if int64(took) > p.longest.Load() {
		p.longest.Store(int64(took))
	}
	switch {
	case took < quickStep:
		p.stride = min(2*p.stride, longestStep)
	case took > slowStep:
		p.stride = 1
	}
}

// status fills in what a listener's goroutine has measured.
func (p *progress) status(s *HandlerStatus) {
	since, at := p.since.Load(), p.at.Load()
	now := p.clock.now() // no earlier than both
	s.Delivered = p.delivered.Load()
	s.LongestCall = time.Duration(p.longest.Load())
	if s.Panics = int(p.panics.Load()); s.Panics > 0 {
		s.LastPanic = time.Unix(0, p.lastPanic.Load())
	}
	if since < 0 {
		return
	}
	s.LongestCall = max(s.LongestCall, now-time.Duration(since))
	if p.toReplay.Load() == 0 {
		s.Lag = time.Duration(uint32(now.Milliseconds())-at) * time.Millisecond
	}
}
