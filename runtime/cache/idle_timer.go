package cache

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// idleChecks is in how many parts an idle timer divides its timeout.
const idleChecks = 4

// idleTimer calls expired once if nothing happens for a time between its timeout
// and a quarter more. To note that something happened costs next to nothing.
type idleTimer struct {
	active   atomic.Bool
	idle     int
	interval time.Duration
	expired  func()
	// timer calls check.
	timer *time.Timer
}

func newIdleTimer(timeout time.Duration, expired func()) *idleTimer {
	t := &idleTimer{interval: timeout / idleChecks, expired: expired}
	// It is set before check, which uses it, can be called.
	t.timer = time.AfterFunc(math.MaxInt64, t.check)
	t.timer.Reset(t.interval)
	return t
}

// touch notes that something happened. A nil timer has no timeout.
func (t *idleTimer) touch() {
	if t != nil && !t.active.Load() {
		t.active.Store(true)
	}
}

func (t *idleTimer) check() {
	if t.active.Swap(false) {
		t.idle = 0
	} else {
		t.idle++
	}
	if t.idle == idleChecks {
		t.expired()
		return
	}
	t.timer.Reset(t.interval)
}

func (t *idleTimer) stop() {
	if t != nil {
		t.timer.Stop()
	}
}

// cancelWhenIdle returns an idle timer that cancels a request with cause.
func cancelWhenIdle(cancel context.CancelCauseFunc, timeout time.Duration, cause error) *idleTimer {
	return newIdleTimer(timeout, func() { cancel(fmt.Errorf("%w: %v", cause, timeout)) })
}

// causeOf returns the cause of ctx if it has ended, and err otherwise: the error of a
// stream that was closed from here does not say why.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
