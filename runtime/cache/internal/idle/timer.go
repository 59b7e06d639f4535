// Package idle ends requests on which nothing happens.
package idle

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// checks is the number of parts into which a timer divides its timeout.
const checks = 4

// Timer calls a function once if nothing happens for a time between its timeout and a quarter
// more. To note that something happened costs next to nothing. A nil Timer has no timeout.
type Timer struct {
	active   atomic.Bool
	idle     int
	interval time.Duration
	expired  func()
	// timer calls check.
	timer *time.Timer
}

// New returns a running timer that calls expired.
func New(timeout time.Duration, expired func()) *Timer {
	t := &Timer{interval: timeout / checks, expired: expired}
	// It is set before check, which uses it, can be called.
	t.timer = time.AfterFunc(math.MaxInt64, t.check)
	t.timer.Reset(t.interval)
	return t
}

// Cancel returns a running timer that cancels a request with a cause.
func Cancel(cancel context.CancelCauseFunc, timeout time.Duration, cause error) *Timer {
	return New(timeout, func() { cancel(fmt.Errorf("%w: %v", cause, timeout)) })
}

// Touch notes that something happened.
func (t *Timer) Touch() {
	if t != nil && !t.active.Load() {
		t.active.Store(true)
	}
}

func (t *Timer) check() {
	if t.active.Swap(false) {
		t.idle = 0
	} else {
		t.idle++
	}
	if t.idle == checks {
		t.expired()
		return
	}
	t.timer.Reset(t.interval)
}

// Stop ends the timer. It may have expired.
func (t *Timer) Stop() {
	if t != nil {
		t.timer.Stop()
	}
}

// CauseOf returns the cause of ctx if it has ended, and err otherwise: the error of a stream
// that was closed from here does not say why.
func CauseOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
