package factory

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// ListWatchOptions configure how informers list and watch, and how they handle
// failures. The zero value works. Each field is the one of the same name of cache.Options
// in runtime/cache, whose comment has the details.
//
// Failures to reach the server, 5xx and 429 are logged once for all informers of a
// factory; those that concern one resource by its informer.
type ListWatchOptions struct {
	// PageSize is the limit of objects in a page of a list. Zero is 500 where the server
	// reads from its storage, and otherwise no limit.
	PageSize int64
	// DisableWatchList makes informers list and then watch, without watch-lists.
	DisableWatchList bool
	// BookmarkTimeout is how long a watch-list may be silent before the bookmark that
	// closes its initial events. Zero is 20 seconds.
	BookmarkTimeout time.Duration
	// IdleTimeout is how long a list or watch may be silent. Zero is 4 minutes.
	IdleTimeout time.Duration
	// WatchTimeout is after how long the server is asked to end a watch, at random up to
	// twice as long. Zero is 5 minutes.
	WatchTimeout time.Duration
	// AbsentRetry is about how often a resource is requested that the server does not
	// have. Zero is 10 seconds, negative a growing backoff.
	AbsentRetry time.Duration
	// KeepAbsent keeps the objects of a resource that the server no longer has. By default
	// informers over REST delete them after AbsentGrace, and those over a clientset keep
	// them, as do those of constructors with client-go's signatures in runtime/clientgo.
	KeepAbsent bool
	// AbsentGrace is for how long the server's discovery has to be without a resource
	// before its objects are deleted. Zero is 5 minutes.
	AbsentGrace time.Duration
	// Backoff is how long an informer waits after failures. Nil is 0.8 to 1.6 seconds,
	// doubled up to 30 to 60 seconds.
	Backoff *wait.Backoff
	// DropManagedFields leaves out metadata.managedFields. By default they are kept.
	DropManagedFields bool
	// OnFailure decides what to do about a list or watch that failed. It is also given
	// the name of the informer, and called concurrently by many informers. Nil logs the
	// failure and backs off.
	OnFailure func(ctx context.Context, informer string, failure core.Failure) core.Decision

	// outages logs the outages of the factory's server, or is nil.
	outages *outageLog
}

// onFailure is OnFailure for one informer. What OnFailure does not log is reported to the
// factory's log of outages.
func (o *ListWatchOptions) onFailure(informer string, outages *outageReporter) func(context.Context, core.Failure) core.Decision {
	decide := o.OnFailure
	return func(ctx context.Context, failure core.Failure) (d core.Decision) {
		if decide != nil {
			d = decide(ctx, informer, failure)
		}
		if failure.NewClass && !d.Quiet {
			d.Quiet = outages.failed(ctx, failure.Err)
		}
		return d
	}
}

// WithListWatchOptions sets how the informers of the factory list and watch. It may
// be passed to generated factories.
func WithListWatchOptions(options ListWatchOptions) Option {
	return func(o *Options[reflect.Type]) { o.ListWatch = options }
}
