package cache

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Options configure an informer. The zero value works.
type Options[T any] struct {
	// Name stands for the informer in logs and errors. It defaults to the name
	// of T.
	Name string

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

	// OnError is told of each list or watch that failed, from the goroutine
	// that will try again once it returns. By default a failure is logged when
	// it is of another class than the last.
	OnError func(ctx context.Context, err error)

	// OnFailure decides what to do about a list or watch that failed, each time
	// after OnError and in the same goroutine. By default the informer rests as
	// long as Failure.Rest says, and tries again for ever.
	OnFailure func(ctx context.Context, failure Failure) Decision

	// Reporter replaces what is logged about failures. By default the informer logs
	// them itself.
	Reporter Reporter

	// Metrics is told how the informer gets on.
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
	// about once a minute. It defaults to 4 minutes.
	IdleTimeout time.Duration

	// WatchTimeout is the least time after which the server is asked to end a
	// watch; the most is twice that. It defaults to 5 minutes.
	WatchTimeout time.Duration

	// AbsentRetry is how often, about, an informer looks whether a resource has come
	// that the server does not have; it defaults to 10 seconds. A negative one
	// makes its absence a failure like others, with growing rests.
	AbsentRetry time.Duration

	// KeepAbsent keeps the objects of a resource that the server has no longer,
	// because its CRD was deleted for example. By default they are deleted, and
	// handlers told so, when the server has said so twice.
	KeepAbsent bool

	// Backoff is how long the informer waits after the first failure, the
	// second, and so on. After two minutes without one it starts anew. By
	// default it is 0.8 to 1.6 seconds and doubles up to 30 to 60 seconds. A
	// server that asks for more time is given it.
	Backoff *wait.Backoff
}

const (
	defaultBookmarkTimeout = 20 * time.Second
	defaultIdleTimeout     = 4 * time.Minute
	defaultWatchTimeout    = 5 * time.Minute
	defaultAbsentRetry     = 10 * time.Second
	minimumResync          = time.Second
)

func (o *Options[T]) name() string {
	if o.Name != "" {
		return o.Name
	}
	return fmt.Sprint(reflect.TypeFor[T]())
}

func (o *Options[T]) bookmarkTimeout() time.Duration {
	return positive(o.BookmarkTimeout, defaultBookmarkTimeout)
}

func (o *Options[T]) idleTimeout() time.Duration {
	return positive(o.IdleTimeout, defaultIdleTimeout)
}

func (o *Options[T]) watchTimeout() time.Duration {
	return positive(o.WatchTimeout, defaultWatchTimeout)
}

// absentRetry is negative if an absent resource is nothing special.
func (o *Options[T]) absentRetry() time.Duration {
	if o.AbsentRetry == 0 {
		return defaultAbsentRetry
	}
	return o.AbsentRetry
}

func (o *Options[T]) backoff() wait.Backoff {
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
func (o *Options[T]) resyncOf(wanted time.Duration) time.Duration {
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
