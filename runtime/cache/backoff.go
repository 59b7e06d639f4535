package cache

import (
	"errors"
	"math/rand/v2"
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

	// longWatch is after how long a watch has in any case lasted long enough for the
	// backoff to begin again at its initial size, and shortestLongWatch after how long
	// at the least. Between the two it is ten times the last delay, so that an
	// informer is without a watch for no more than a tenth of the time.
	longWatch         = 2 * time.Minute
	shortestLongWatch = 10 * time.Second
)

// health is how well a server is, as far as one answer tells.
type health uint8

const (
	// unreachable is no answer at all.
	unreachable health = iota
	// unavailable is the answer of a server, or of a proxy in front of it, that
	// cannot serve at present.
	unavailable
	// answering is any other answer.
	answering
)

// healthOf returns what a failure tells of the server.
func healthOf(err error) health {
	if errors.Is(err, failure.ErrWatchTooShort) {
		return answering // the watch was opened
	}
	switch failure.ClassOf(err) {
	case failure.ClassConnection, failure.ClassSilent:
		return unreachable
	case failure.ClassServerError, failure.ClassTooManyRequests:
		return unavailable
	default:
		return answering
	}
}

// backoff says how long to wait after each failure: longer from failure to failure,
// until the server is in better health than at the last one, or a watch has lasted
// for a while. wait.Backoff.DelayWithReset would begin again even if there were
// nothing but failures.
type backoff struct {
	initial, current wait.Backoff
	server           health
	last             time.Duration
}

func newBackoff(initial wait.Backoff) backoff { return backoff{initial: initial, current: initial} }

func (b *backoff) reset() { b.current = b.initial }

// answered notes that the server was in that health.
func (b *backoff) answered(server health) {
	if server > b.server {
		b.reset()
	}
	b.server = server
}

// succeeded notes a request that succeeded. Those that follow may still fail for the
// reason for which earlier ones did, so that only a server that was not there before
// counts as a better one.
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

// delay returns how long to wait after a failure that tells of the server's health,
// no less than atLeast.
func (b *backoff) delay(server health, atLeast time.Duration) time.Duration {
	b.answered(server)
	b.last = max(b.current.Step(), atLeast, minimumDelay)
	return b.last
}

// shortDelay is a second, give or take a half.
func shortDelay() time.Duration { return time.Second/2 + rand.N(time.Second) }

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
