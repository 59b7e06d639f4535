package protocol

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// MinimumDelay bounds how often an informer asks a server that keeps failing,
	// whatever the options say.
	MinimumDelay = 100 * time.Millisecond

	// MaxRetryAfter bounds how long a server can make an informer wait.
	MaxRetryAfter = 10 * time.Minute

	// A watch that lasted ten times the last delay resets the backoff. So an informer is without a watch
	// for at most a tenth of the time. But no watch shorter than shortestLongWatch resets it, and every
	// watch longer than longWatch does.
	longWatch         = 2 * time.Minute
	shortestLongWatch = 10 * time.Second
)

// Health is the state of a server, as far as one response shows it. Later values are closer to a success.
type Health uint8

const (
	// unreachable means that there was no response at all.
	unreachable Health = iota
	// unavailable means that the server, or a proxy in front of it, cannot serve at present.
	unavailable
	// answering means any other response.
	answering
	// limiting means that the server says when to ask again (Retry-After).
	limiting
	// absent means that the server lacks only the resource.
	absent
)

// HealthOf returns the health of a server after a request that failed with err.
func HealthOf(err error) Health {
	if errors.Is(err, failure.ErrWatchTooShort) {
		return answering // the watch was opened
	}
	switch failure.ClassOf(err) {
	case failure.ClassConnection, failure.ClassSilent:
		return unreachable
	case failure.ClassServerError, failure.ClassTooManyRequests:
		if SuggestedDelay(err) > 0 {
			return limiting
		}
		return unavailable
	case failure.ClassNotFound:
		return absent
	default:
		return answering
	}
}

// Backoff decides how long to wait after each failure. The delay grows from failure to failure. It is reset
// when the server is in better health than at the last failure, or a watch has lasted for a while.
// wait.Backoff.DelayWithReset would also be reset while every request fails.
type Backoff struct {
	initial, current wait.Backoff
	server           Health
	last             time.Duration
	// factor is the jitter of initial, which itself has none: package wait can only use the global random
	// generator.
	factor float64
	jitter func(limit time.Duration) time.Duration
}

// NewBackoff returns a backoff that starts with initial. jitter returns a random duration below limit.
func NewBackoff(initial wait.Backoff, jitter func(limit time.Duration) time.Duration) Backoff {
	factor := initial.Jitter
	initial.Jitter = 0
	return Backoff{initial: initial, current: initial, factor: factor, jitter: jitter}
}

func (b *Backoff) reset() { b.current = b.initial }

// answered notes the health of the server.
func (b *Backoff) answered(server Health) {
	if server > b.server {
		b.reset()
	}
	b.server = server
}

// Succeeded notes a request that succeeded. Later requests may still fail for the same reason as earlier
// ones. So it resets the backoff only if the server was not reachable before.
func (b *Backoff) Succeeded() {
	if b.server == unreachable {
		b.answered(unavailable)
	}
}

// Watched notes how long a watch was open.
func (b *Backoff) Watched(lasted time.Duration) {
	if lasted > min(max(10*b.last, shortestLongWatch), longWatch) {
		b.reset()
	}
}

// Delay returns how long to wait after a failure, given the server's health. It is at least atLeast.
func (b *Backoff) Delay(server Health, atLeast time.Duration) time.Duration {
	b.answered(server)
	next := b.current.Step()
	next += b.jitter(time.Duration(b.factor * float64(next)))
	b.last = max(next, atLeast, MinimumDelay)
	return b.last
}

// freeRequests limits how many requests in a row may follow each other without a delay.
const freeRequests = 8

// Floor keeps requests that are expected to succeed, and follow each other at once, from becoming a tight
// loop, whatever the options and the source do.
type Floor struct{ quick int }

// Delay returns how long to wait after a request that took the given time.
func (f *Floor) Delay(took time.Duration) time.Duration {
	if took >= ShortWatch {
		f.quick = 0
	}
	if f.quick++; f.quick <= freeRequests {
		return 0
	}
	return MinimumDelay
}

// SuggestedDelay returns how long the server asks to wait (Retry-After).
func SuggestedDelay(err error) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return time.Duration(seconds) * time.Second
	}
	return 0
}
