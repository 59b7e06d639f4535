package cache

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Options configure an informer. The zero value works.
type Options[T any] struct {
	// Name stands for the informer in logs and errors. It defaults to the name
	// of T.
	Name string

	// ObjectType is the type of the objects if that is known at run time only: T is any
	// then. It defaults to T.
	ObjectType reflect.Type

	// Indexes are registered from the start.
	Indexes []Index[T]

	// Resync is how often handlers that do not ask for a period of their own
	// are given an update with the same object twice for everything in the
	// store. Zero or less is never, less than a second is a second.
	Resync time.Duration

	// Transform changes or replaces each object before anybody sees it, to
	// drop what nobody needs. The object is not shared yet: it may be mutated.
	// It is called once for each state that the API delivers, from one
	// goroutine. An error, like a panic, is reported and leaves the store's
	// object as it is.
	Transform func(T) (T, error)

	// DropManagedFields leaves out metadata.managedFields, which tell who has set which
	// field: a tenth to a half of an object. Sources over REST skip them in the response,
	// and ask the server not to send them (KEP-5958). By default they are kept.
	DropManagedFields bool

	// OnFailure decides what to do about each list or watch that failed, or ended with an
	// error after it was open, also if the next request follows at once. It is called by
	// the goroutine that goes on once it returns. A watch that the server closed, or on
	// which nothing happened, is no failure, nor is a refused watch-list that a list
	// takes the place of. By default the informer logs a failure when it is of another
	// class than the last, waits as long as Failure.Backoff says, and tries again for
	// ever.
	OnFailure func(ctx context.Context, failure Failure) Decision

	// OnRecovery is called when lists and watches succeed again after failures of that
	// number. The recovery is logged unless it returns true. It is called by a goroutine
	// of the informer and must not block.
	OnRecovery func(ctx context.Context, failures int) (logged bool)

	// Metrics reports the progress of the informer.
	Metrics Metrics

	// PageSize is how many objects a page of a list has at the most. By default
	// it is 500 for the lists that the API server reads from its storage, and
	// the others, served from its cache, have one page.
	PageSize int64

	// DisableWatchList makes the informer list and then watch, where by default
	// it asks for a watch that starts with the whole list (KEP-3157) and falls
	// back if the server can't.
	DisableWatchList bool

	// BookmarkTimeout is how long a watch-list may be silent before the
	// bookmark that closes its initial events. After that the informer lists,
	// and does not try a watch-list again. It defaults to 20 seconds.
	BookmarkTimeout time.Duration

	// IdleTimeout is how long a watch may be silent before it is closed and
	// opened again, and a list before it has failed. Servers send a bookmark
	// about once a minute; when one has shown how often it does, three missing ones
	// are enough. It defaults to 4 minutes, and to no limit for watches of a fake
	// clientset.
	IdleTimeout time.Duration

	// WatchTimeout is the least time after which the server is asked to end a
	// watch; the most is twice that. It defaults to 5 minutes.
	WatchTimeout time.Duration

	// AbsentRetry is how often, about, an informer looks whether a resource has come
	// that the server does not have; it defaults to 10 seconds. A negative one
	// makes its absence a failure like others, with a growing backoff.
	AbsentRetry time.Duration

	// KeepAbsent keeps the objects of a resource that the server has no longer,
	// because its CRD was deleted for example. By default they are deleted, and
	// handlers told so, when discovery has proven it for AbsentGrace. Sources that
	// can't ask discovery, those of clientsets and of ListerWatchers, keep them in any
	// case.
	KeepAbsent bool

	// AbsentGrace is for how long the server's discovery has to say, each time it is
	// asked, that there is no such resource before its objects are deleted: longer
	// than an upgrade of the API server takes. It defaults to 5 minutes.
	AbsentGrace time.Duration

	// Backoff is how long the informer waits after the first failure, the second, and
	// so on. It begins again at its first delay when a server that was down answers,
	// whatever it answers, and when a watch has lasted: for ten times the delay, but
	// ten seconds at the least and two minutes at the most. By default it is 0.8 to 1.6
	// seconds and doubles up to 30 to 60 seconds. No delay is shorter than 100 ms. A
	// server that asks for more time is given up to ten minutes.
	Backoff *wait.Backoff
}

const (
	defaultBookmarkTimeout = 20 * time.Second
	defaultIdleTimeout     = 4 * time.Minute
	defaultWatchTimeout    = 5 * time.Minute
	defaultAbsentRetry     = 10 * time.Second
	defaultAbsentGrace     = 5 * time.Minute
	minimumResync          = time.Second
)

// settings are the options of an informer, whatever the type of its objects.
type settings struct{ Options[any] }

func untypedOptions[T any](o *Options[T]) Options[any] {
	return Options[any]{
		Name:              o.Name,
		ObjectType:        o.ObjectType,
		Indexes:           indexesOf[any](o.Indexes),
		Resync:            o.Resync,
		Transform:         untypedTransform(o.Transform),
		OnFailure:         o.OnFailure,
		DropManagedFields: o.DropManagedFields,
		OnRecovery:        o.OnRecovery,
		Metrics:           o.Metrics,
		PageSize:          o.PageSize,
		DisableWatchList:  o.DisableWatchList,
		BookmarkTimeout:   o.BookmarkTimeout,
		IdleTimeout:       o.IdleTimeout,
		WatchTimeout:      o.WatchTimeout,
		AbsentRetry:       o.AbsentRetry,
		KeepAbsent:        o.KeepAbsent,
		AbsentGrace:       o.AbsentGrace,
		Backoff:           o.Backoff,
	}
}

func untypedTransform[T any](transform func(T) (T, error)) func(any) (any, error) {
	if transform == nil {
		return nil
	}
	return func(obj any) (any, error) { return transform(reader.As[T](obj)) }
}

func (o *settings) bookmarkTimeout() time.Duration {
	return positive(o.BookmarkTimeout, defaultBookmarkTimeout)
}

func (o *settings) idleTimeout() time.Duration {
	return positive(o.IdleTimeout, defaultIdleTimeout)
}

func (o *settings) watchTimeout() time.Duration {
	return positive(o.WatchTimeout, defaultWatchTimeout)
}

// absentRetry is negative if an absent resource is nothing special.
func (o *settings) absentRetry() time.Duration {
	if o.AbsentRetry == 0 {
		return defaultAbsentRetry
	}
	return o.AbsentRetry
}

func (o *settings) absentGrace() time.Duration {
	return positive(o.AbsentGrace, defaultAbsentGrace)
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
	// Queued is told how many deltas wait for the store whenever that changes.
	// A whole list is one delta.
	Queued func(deltas int)
	// Committed is told of each batch of deltas that went into the store: how
	// long that took, handlers not included, and the resourceVersion that the
	// store has since.
	Committed func(took time.Duration, resourceVersion string)
}

func (m *Metrics) queued(deltas int) {
	if m.Queued != nil {
		m.Queued(deltas)
	}
}

// now is when something begins that committed tells of.
func (m *Metrics) now() (began time.Time) {
	if m.Committed != nil {
		began = time.Now()
	}
	return began
}

func (m *Metrics) committed(began time.Time, resourceVersion func() string) {
	if m.Committed != nil {
		m.Committed(time.Since(began), resourceVersion())
	}
}
