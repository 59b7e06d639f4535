package cache

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// minimumDelay bounds how often an informer asks a server that keeps failing,
	// whatever the options say.
	minimumDelay = 100 * time.Millisecond

	// maxRetryAfter bounds how long a server can make an informer wait.
	maxRetryAfter = 10 * time.Minute

	// A watch that lasted ten times the last delay resets the backoff, so that an
	// informer is without a watch for no more than a tenth of the time: but no watch
	// shorter than shortestLongWatch, and each one longer than longWatch.
	longWatch         = 2 * time.Minute
	shortestLongWatch = 10 * time.Second
)

// health is the state of a server, as far as one response shows it. The later ones are nearer
// to a success.
type health uint8

const (
	// unreachable is no response at all.
	unreachable health = iota
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

// healthOf returns the health of a server with which a request failed.
func healthOf(err error) health {
	if errors.Is(err, failure.ErrWatchTooShort) {
		return answering // the watch was opened
	}
	switch failure.ClassOf(err) {
	case failure.ClassConnection, failure.ClassSilent:
		return unreachable
	case failure.ClassServerError, failure.ClassTooManyRequests:
		if suggestedDelay(err) > 0 {
			return limiting
		}
		return unavailable
	case failure.ClassNotFound:
		return absent
	default:
		return answering
	}
}

// backoff says how long to wait after each failure: longer from failure to failure,
// until the server is in better health than at the last one, or a watch has lasted
// for a while. wait.Backoff.DelayWithReset would be reset also while every request
// fails.
type backoff struct {
	initial, current wait.Backoff
	server           health
	last             time.Duration
	// factor is the jitter of initial, which itself has none: the package wait has no
	// other generator than the global one.
	factor float64
	jitter func(limit time.Duration) time.Duration
}

func newBackoff(initial wait.Backoff, jitter func(limit time.Duration) time.Duration) backoff {
	factor := initial.Jitter
	initial.Jitter = 0
	return backoff{initial: initial, current: initial, factor: factor, jitter: jitter}
}

func (b *backoff) reset() { b.current = b.initial }

// answered notes that the server was in that health.
func (b *backoff) answered(server health) {
	if server > b.server {
		b.reset()
	}
	b.server = server
}

// succeeded notes a request that succeeded. The next ones may still fail for the reason
// for which earlier ones did, so that it resets the backoff only if the server was not
// reachable before.
func (b *backoff) succeeded() {
	if b.server == unreachable {
		b.answered(unavailable)
	}
}

// watched notes that a watch was open for so long.
func (b *backoff) watched(lasted time.Duration) {
	if lasted > min(max(10*b.last, shortestLongWatch), longWatch) {
		b.reset()
	}
}

// delay returns how long to wait after a failure with a server in that health, no less
// than atLeast.
func (b *backoff) delay(server health, atLeast time.Duration) time.Duration {
	b.answered(server)
	next := b.current.Step()
	next += b.jitter(time.Duration(b.factor * float64(next)))
	b.last = max(next, atLeast, minimumDelay)
	return b.last
}

// shortDelay is a second, give or take a half.
func (o *settings) shortDelay() time.Duration { return time.Second/2 + o.jitter(time.Second) }

// freeRequests is how many requests in a row may follow each other at once.
const freeRequests = 8

// floor keeps requests that are expected to succeed, and follow each other at once,
// from becoming a loop, whatever the options or the source make of them.
type floor struct{ quick int }

// delay returns how long to wait after a request that took so long.
func (f *floor) delay(took time.Duration) time.Duration {
	if took >= shortWatch {
		f.quick = 0
	}
	if f.quick++; f.quick <= freeRequests {
		return 0
	}
	return minimumDelay
}

// suggestedDelay is how long the server asks to wait (Retry-After).
func suggestedDelay(err error) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return time.Duration(seconds) * time.Second
	}
	return 0
}
