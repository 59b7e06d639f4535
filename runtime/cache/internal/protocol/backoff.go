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

	// A watch that lasted ten times the last delay resets the backoff, so that an
	// informer is without a watch for no more than a tenth of the time: but no watch
	// shorter than shortestLongWatch, and each one longer than longWatch.
	longWatch         = 2 * time.Minute
	shortestLongWatch = 10 * time.Second
)

// Health is the state of a server, as far as one response shows it. The later ones are nearer
// to a success.
type Health uint8

const (
	// unreachable is no response at all.
	unreachable Health = iota
	// unavailable is the response of a server, or of a proxy in front of it, that
	// cannot serve at present.
	unavailable
	// answering is any other response.
	answering
	// limiting is the response of a server that says when to ask again (Retry-After).
	limiting
	// absent is the response of a server that has everything but the resource.
	absent
)

// HealthOf returns the health of a server with which a request failed.
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

// Backoff says how long to wait after each failure: longer from failure to failure,
// until the server is in better health than at the last one, or a watch has lasted
// for a while. wait.Backoff.DelayWithReset would be reset also while every request
// fails.
type Backoff struct {
	initial, current wait.Backoff
	server           Health
	last             time.Duration
	// factor is the jitter of initial, which itself has none: the package wait has no
	// other generator than the global one.
	factor float64
	jitter func(limit time.Duration) time.Duration
}

// NewBackoff returns a backoff that begins as initial says. Jitter returns a random duration
// below limit.
func NewBackoff(initial wait.Backoff, jitter func(limit time.Duration) time.Duration) Backoff {
	factor := initial.Jitter
	initial.Jitter = 0
	return Backoff{initial: initial, current: initial, factor: factor, jitter: jitter}
}

func (b *Backoff) reset() { b.current = b.initial }

// answered notes that the server was in that health.
func (b *Backoff) answered(server Health) {
	if server > b.server {
		b.reset()
	}
	b.server = server
}

// Succeeded notes a request that succeeded. The next ones may still fail for the reason
// for which earlier ones did, so that it resets the backoff only if the server was not
// reachable before.
func (b *Backoff) Succeeded() {
	if b.server == unreachable {
		b.answered(unavailable)
	}
}

// Watched notes that a watch was open for so long.
func (b *Backoff) Watched(lasted time.Duration) {
	if lasted > min(max(10*b.last, shortestLongWatch), longWatch) {
		b.reset()
	}
}

// Delay returns how long to wait after a failure with a server in that health, no less
// than atLeast.
func (b *Backoff) Delay(server Health, atLeast time.Duration) time.Duration {
	b.answered(server)
	next := b.current.Step()
	next += b.jitter(time.Duration(b.factor * float64(next)))
	b.last = max(next, atLeast, MinimumDelay)
	return b.last
}

// freeRequests limits how many requests in a row may follow each other at once.
const freeRequests = 8

// Floor keeps requests that are expected to succeed, and follow each other at once,
// from becoming a loop, whatever the options or the source make of them.
type Floor struct{ quick int }

// Delay returns how long to wait after a request that took so long.
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
