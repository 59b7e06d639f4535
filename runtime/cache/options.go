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
	// Name names the informer in logs, errors and the status. If it is empty, the name of T is used.
	Name string

	// Indexes are registered from the start.
	Indexes []Index[T]

	// Resync is the interval at which handlers without their own period get, for every object in the store,
	// an update with that object as the old and the new one. Zero or negative means never. Less than a
	// second means a second.
	Resync time.Duration

	// Transform changes or replaces each object before it is stored, in general to drop fields that are not
	// needed. The object is not shared yet: it may be mutated. Transform is called once for each state that
	// the API delivers, never concurrently. If it fails or panics, that is reported, and the store keeps
	// the object that it has. If it returns a nil object, the store does not have the object, or loses it.
	// A nil Transform stores objects as they are.
	//
	// Relists, waits and the check for duplicates use the UID, resourceVersion and deletionTimestamp that
	// the server sent. If Transform changes these, the informer keeps them beside the object, in about 80
	// bytes.
	Transform func(T) (T, error)

	// Metrics reports the progress of the informer.
	Metrics Metrics

	// DisableWatchList has the same effect as ListWatch.DisableWatchList. It is for callers that set no
	// other field of ListWatch.
	DisableWatchList bool

	// ListWatch configures how the informer lists and watches.
	ListWatch
}

// ListWatch configures how informers list and watch, and how they handle failures. The zero value works.
type ListWatch struct {
	// DisableWatchList makes the informer list and then watch. By default it requests a
	// watch that starts with all objects (KEP-3157), and falls back to a list if the
	// server does not support that.
	DisableWatchList bool

	// PageSize limits the objects in a page of a list. Zero means 500 for lists that the API server reads
	// from its storage, and no limit for lists that it serves from its cache. PageSize must not be
	// negative.
	PageSize int64

	// BookmarkTimeout limits the wait for the bookmark that closes the initial events of a watch-list. Each
	// new object extends the wait by a tenth of a second, up to BookmarkTimeout. Once a change of an object
	// comes, nothing extends it. Another bookmark leaves one second. When the wait is over, or WatchTimeout
	// has passed, the informer falls back to lists, and does not request a watch-list again. Zero or
	// negative means 20 seconds.
	BookmarkTimeout time.Duration

	// IdleTimeout limits how long a watch may be silent before it is closed and opened again, and a list
	// before it has failed. Servers send a bookmark about once a minute. Once the informer knows the
	// interval, it closes a watch earlier, when three bookmarks are missing. Zero or negative means 4
	// minutes, and no limit for watches of a fake clientset.
	IdleTimeout time.Duration

	// WatchTimeout is the time after which the server is asked to end a watch. Each watch gets a random
	// time between WatchTimeout and twice as long, so that the watches of many informers do not end
	// together. Zero or negative means 5 minutes.
	WatchTimeout time.Duration

	// AbsentGrace is the time for which discovery must not list the resource, each time that it is asked,
	// before the resource's objects are deleted. OnDelete is called for each object then. The CRD may have
	// been removed. It should be longer than an upgrade of the API server takes. Zero means 5 minutes. A
	// negative value keeps the objects. Sources that can't ask discovery always keep them: sources over
	// clientsets and ListerWatchers.
	AbsentGrace time.Duration

	// Backoff sets how long the informer waits after the first failure, the second, and so on. No delay is
	// shorter than 100 ms, nor than the server's Retry-After, up to ten minutes. Nil means 0.8 to 1.6
	// seconds, doubled up to 30 to 60 seconds.
	//
	// The backoff is reset to its first delay when a server that was down answers, whatever it answers. It
	// is also reset at the first of several responses with a Retry-After or without the resource, and when
	// a watch has lasted long enough. That is ten times the delay, but ten seconds at least and two minutes
	// at most.
	Backoff *wait.Backoff

	// DropManagedFields leaves out metadata.managedFields, which record who has set which field. They are a
	// tenth to a half of an object. Sources over REST skip them in the response, and ask the server not to
	// send them (KEP-5958). By default they are kept.
	DropManagedFields bool

	// OnFailure decides what to do about each list or watch that failed, or that ended with an error after
	// it was open, even if the next request follows at once. The informer does not list or watch until
	// OnFailure returns. Some ends are no failures: the server closed a watch, nothing happened on it, or
	// the informer falls back from a refused watch-list to a list. Nil logs a failure if its class differs
	// from the last one, waits as long as Failure.Backoff says, and retries for ever.
	OnFailure func(ctx context.Context, failure Failure) Decision

	// Outages logs an outage of the server once for all informers that share it. Nil logs each informer's
	// failures separately.
	Outages *Outages
}

// Outages logs an outage of a server once for several informers: one line when they fail, and one when all
// of them have recovered. Failures that concern one resource, such as 403 and 404, are logged by its
// informer. The zero value is ready. It is safe for concurrent use.
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

// settings are the options of an informer, with objects of any type.
type settings struct {
	Options[any]
	// random is the source of jitter. Nil means the generator of package rand. Tests seed it to repeat a
	// run.
	random *rand.Rand
}

// jitter returns a random duration from zero up to limit. It is zero if limit is not positive.
func (o *settings) jitter(limit time.Duration) time.Duration {
	switch {
	case limit <= 0:
		return 0
	case o.random == nil:
		return rand.N(limit)
	}
	return time.Duration(o.random.Int64N(int64(limit)))
}

// oneAtATime returns a transform that is never called concurrently, though each reflector and its look-ups
// by name have their own goroutine. turn has an element while the transform runs.
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

// resyncOf returns the resync period of a handler that asked for wanted.
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

// Metrics reports the progress of an informer. Each function may be nil. The informer's goroutines wait for
// a function that they call, so it must return at once.
type Metrics struct {
	// Queued is called whenever the number of deltas that wait for the store changes. A whole list is one
	// delta.
	Queued func(deltas int)
	// Committed is called after each commit of a batch of deltas to the store. It gets the time that the
	// commit took, without handlers, and the store's resourceVersion.
	Committed func(took time.Duration, resourceVersion string)
}

func (m *Metrics) queued(deltas int) {
	if m.Queued != nil {
		m.Queued(deltas)
	}
}
