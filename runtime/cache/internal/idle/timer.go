// Package idle ends silent requests.
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

// Timer calls a function once when its time is used up, or up to a quarter of its timeout later. Activity
// gives time back, which costs next to nothing. A nil Timer has no timeout.
type Timer struct {
	timeout, interval time.Duration
	// left is the remaining time at the last check, and total limits it. given is the time that was given
	// back since.
	left, total time.Duration
	given       atomic.Int64
	expired     func()
	// timer calls check.
	timer *time.Timer
}

// New returns a running timer that calls expired. It calls it after total at the latest, even if all time
// is given back.
func New(timeout, total time.Duration, expired func()) *Timer {
	t := &Timer{interval: timeout / checks, expired: expired, total: total}
	t.timeout = t.interval * checks
	t.left = t.timeout
	// timer is set before check can be called, since check uses it.
	t.timer = time.AfterFunc(math.MaxInt64, t.check)
	t.timer.Reset(t.interval)
	return t
}

// Cancel returns a running timer that cancels a request with a cause.
func Cancel(cancel context.CancelCauseFunc, timeout time.Duration, cause error) *Timer {
	return CancelWithin(cancel, timeout, math.MaxInt64, cause)
}

// CancelWithin is Cancel, but cancels after total at the latest.
func CancelWithin(cancel context.CancelCauseFunc, timeout, total time.Duration, cause error) *Timer {
	return New(timeout, total, func() { cancel(fmt.Errorf("%w: %v", cause, timeout)) })
}

// Touch gives back all of the time.
func (t *Timer) Touch() {
	if t != nil && t.given.Load() < int64(t.timeout) {
		t.given.Store(int64(t.timeout))
	}
}

// Give gives back some of the time.
func (t *Timer) Give(d time.Duration) {
	if t != nil && t.given.Load() < int64(t.timeout) {
		t.given.Add(int64(d))
	}
}

func (t *Timer) check() {
	t.total -= t.interval
	t.left = min(t.left-t.interval+time.Duration(t.given.Swap(0)), t.timeout, t.total)
	if t.left <= 0 {
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

// CauseOf returns the cause of ctx if it has ended, and err otherwise. The error of a stream that the
// informer closed does not say why.
func CauseOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
