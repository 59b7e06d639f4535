package factory

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// ListWatchOptions configure how informers list and watch, and how they handle
// failures. Fields are those of the same names of cache.Options in runtime/cache, with
// their defaults, KeepAbsent too: an informer over REST deletes the objects of a
// resource once it is proven that the server no longer has it; client-go's keep them.
// The constructors of runtime/clientgo with client-go's signatures keep them. The
// zero value works.
//
// Failures to reach the server, 5xx and 429 are logged once for all informers of a
// factory; those that concern one resource by its informer.
type ListWatchOptions struct {
	PageSize          int64
	DisableWatchList  bool
	BookmarkTimeout   time.Duration
	IdleTimeout       time.Duration
	WatchTimeout      time.Duration
	AbsentRetry       time.Duration
	KeepAbsent        bool
	AbsentGrace       time.Duration
	Backoff           *wait.Backoff
	DropManagedFields bool
	// OnFailure is also given the name of the informer. It is called by many
	// goroutines.
	OnFailure func(ctx context.Context, informer string, failure core.Failure) core.Decision

	// outages is the log of the factory, or nil.
	outages *outageLog
}

// onFailure is OnFailure for one informer, whose failures the factory's log of outages
// has first.
func (o *ListWatchOptions) onFailure(informer string, outages *outageReporter) func(context.Context, core.Failure) core.Decision {
	decide := o.OnFailure
	return func(ctx context.Context, failure core.Failure) (d core.Decision) {
		if decide != nil {
			d = decide(ctx, informer, failure)
		}
		if failure.News && !d.Quiet {
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
