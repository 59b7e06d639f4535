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

// bookmarkInterval measures how often a server sends bookmarks. The zero value has not
// seen any.
type bookmarkInterval struct {
	longest time.Duration
	seen    int
}

const (
	// knownBookmarks is how many intervals have to be seen before they count.
	knownBookmarks = 3
	// missingBookmarks is how many bookmarks in a row have to be missing for a watch to
	// be idle.
	missingBookmarks = 3
	// minimumIdleTimeout is the shortest timeout that follows from the interval:
	// bookmarks may be late.
	minimumIdleTimeout = 10 * time.Second
)

// observe notes the time between two bookmarks of one watch.
func (b *bookmarkInterval) observe(interval time.Duration) {
	b.seen++
	b.longest = max(b.longest, interval)
}

// idleTimeout returns how long a watch may be silent, atMost if the server has not
// shown how often it sends bookmarks.
func (b *bookmarkInterval) idleTimeout(atMost time.Duration) time.Duration {
	if b.seen < knownBookmarks {
		return atMost
	}
	return min(max(missingBookmarks*b.longest, minimumIdleTimeout), atMost)
}

// causeOf returns the cause of ctx if it has ended, and err otherwise: the error of a
// stream that was closed from here does not say why.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
