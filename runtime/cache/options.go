package cache

import (
	"context"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
)

// Options configure an informer. The zero value works.
type Options[T any] struct {
	// Name names the informer in logs, errors and the status. Empty is the name of T.
	Name string

	// Indexes are registered from the start.
	Indexes []Index[T]

	// Resync is the interval at which handlers without a period of their own get, for every
	// object in the store, an update with that object as the old and the new one. Zero or
	// negative is never. Less than a second is a second.
	Resync time.Duration

	// Transform changes or replaces each object before it is stored, in general to
	// drop fields that are not needed. The object is not shared yet: it may be mutated.
	// Transform is called once for each state that the API delivers, never
	// concurrently. An error, like a panic, is reported, and the store keeps the
	// object that it has. A nil object leaves that one out: the store does not have it, or
	// no longer. A nil Transform stores objects as they are.
	//
	// Relists, waits and duplicates go by the UID, resourceVersion and deletionTimestamp that the
	// server sent. An informer keeps them beside an object that has others, which takes about 80 bytes.
	Transform func(T) (T, error)

	// Metrics reports the progress of the informer.
	Metrics Metrics

	// DisableWatchList is that of ListWatch, for those who set nothing else of it.
	DisableWatchList bool

	// ListWatch says how the informer lists and watches.
	ListWatch
}

// ListWatch says how informers list and watch, and how they handle failures. The zero value
// works.
type ListWatch struct {
	// DisableWatchList makes the informer list and then watch. By default it requests a
	// watch that starts with all objects (KEP-3157), and falls back to a list if the
	// server does not support that.
	DisableWatchList bool

	// PageSize is the limit of objects in a page of a list. Zero is 500 for lists that
	// the API server reads from its storage, and no limit for those that it serves from
	// its cache. It must not be negative.
	PageSize int64

	// BookmarkTimeout limits how long the bookmark that closes the initial events of a watch-list
	// may take. Each new object adds a tenth of a second, up to BookmarkTimeout, and nothing adds
	// to it after a change of an object. Another bookmark leaves one second. When the time is
	// over, or WatchTimeout, the informer falls back to lists, and does not request a watch-list
	// again. Zero or negative is 20 seconds.
	BookmarkTimeout time.Duration

	// IdleTimeout limits how long a watch may be silent before it is closed and opened again, and
	// a list before it has failed. Servers send a bookmark about once a minute: once the interval
	// is known, a watch is closed earlier, when three bookmarks are missing. Zero or negative is
	// 4 minutes, and no limit for watches of a fake clientset.
	IdleTimeout time.Duration

	// WatchTimeout is the time after which the server is asked to end a watch: at random between
	// this and twice as long, so that the watches of many informers do not end together. Zero or
	// negative is 5 minutes.
	WatchTimeout time.Duration

	// AbsentGrace is the time for which the server's discovery has to be without the resource,
	// each time that it is asked, before its objects are deleted, with a call of OnDelete for
	// each: its CRD may have been removed. It should be longer than an upgrade of the API server
	// takes. Zero is 5 minutes, and negative keeps them. Sources that can't ask discovery, those
	// of clientsets and of ListerWatchers, keep them in any case.
	AbsentGrace time.Duration

	// Backoff sets how long the informer waits after the first failure, the second, and so on. No
	// delay is shorter than 100 ms, nor than the Retry-After of the server, up to ten minutes.
	// Nil is 0.8 to 1.6 seconds, doubled up to 30 to 60 seconds. The backoff is reset to its
	// first delay when a server that was down answers, whatever it answers, at the first of
	// several responses with a Retry-After or without the resource, and when a watch has lasted:
	// for ten times the delay, but ten seconds at the least and two minutes at the most.
	Backoff *wait.Backoff

	// DropManagedFields leaves out metadata.managedFields, which tell who has set which
	// field: a tenth to a half of an object. Sources over REST skip them in the response,
	// and ask the server not to send them (KEP-5958). By default they are kept.
	DropManagedFields bool

	// OnFailure decides what to do about each list or watch that failed, or ended with an
	// error after it was open, also if the next request follows at once. The informer does
	// not list or watch until it returns. A watch that the server closed, or on which
	// nothing happened, is no failure, nor is a refused watch-list, if the informer falls
	// back to a list. Nil logs a failure when it is of another class than the last, waits
	// as long as Failure.Backoff says, and retries for ever.
	OnFailure func(ctx context.Context, failure Failure) Decision

	// Outages logs the outages of the server once for all informers that have it. Nil logs
	// those of each.
	Outages *Outages
}

// Outages logs an outage of a server once for several informers: one line when they fail, and
// one when all of them have recovered. Failures that concern one resource, as 403 and 404 do,
// are logged by its informer. The zero value is ready. It is safe for concurrent use.
type Outages = outage.Log

const (
	defaultBookmarkTimeout = 20 * time.Second
	defaultIdleTimeout     = 4 * time.Minute
	defaultWatchTimeout    = 5 * time.Minute
	absentRetry            = 10 * time.Second
	defaultAbsentGrace     = 5 * time.Minute
	doubtGrace             = 5 * time.Minute
	minimumResync          = time.Second
)

// settings are the options of an informer, whatever the type of its objects.
type settings struct {
	Options[any]
	// random is where jitter comes from; nil is the generator of package rand. Tests seed
	// it, to repeat a run.
	random *rand.Rand
}

// jitter returns a random duration below limit, or zero if there is none.
func (o *settings) jitter(limit time.Duration) time.Duration {
	switch {
	case limit <= 0:
		return 0
	case o.random == nil:
		return rand.N(limit)
	}
	return time.Duration(o.random.Int64N(int64(limit)))
}

// oneAtATime returns a transform that is never called concurrently, though each reflector and its
// look-ups by name have a goroutine of their own. The channel has a value while it runs.
func oneAtATime(turn chan struct{}, transform func(any) (any, error)) func(any) (any, error) {
	if transform == nil {
		return nil
	}
	return func(obj any) (any, error) {
		turn <- struct{}{}
		defer func() { <-turn }()
		return transform(obj)
	}
}

func (o *settings) idleTimeout() time.Duration {
	return positive(o.IdleTimeout, defaultIdleTimeout)
}

func (o *settings) backoff() wait.Backoff {
	if o.Backoff != nil {
		return *o.Backoff
	}
	return wait.Backoff{
		Duration: 800 * time.Millisecond,
		Factor:   2,
		Jitter:   1,
		// Steps bounds the doublings, and Cap the result of each.
		Steps: 32,
		Cap:   30 * time.Second,
	}
}

// resyncOf returns the period of a handler that asked for wanted.
func (o *settings) resyncOf(wanted time.Duration) time.Duration {
	if wanted == 0 {
		wanted = o.Resync
	}
	if wanted <= 0 {
		return 0
	}
	return max(wanted, minimumResync)
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Metrics reports the progress of an informer. The informer's goroutines call its
// functions and wait for them, so they must return at once. Each may be nil.
type Metrics struct {
	// Queued is called whenever the number of deltas changes that wait for the store.
	// A whole list is one delta.
	Queued func(deltas int)
	// Committed is called after each batch of deltas that was committed to the store:
	// with how long that took, without handlers, and the resourceVersion that the store
	// then has.
	Committed func(took time.Duration, resourceVersion string)
}

func (m *Metrics) queued(deltas int) {
	if m.Queued != nil {
		m.Queued(deltas)
	}
}
