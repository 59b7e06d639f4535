package cache

import (
	"context"

	"k8s.io/klog/v2"
)

// Reporter replaces what an informer logs about failures of its lists and watches,
// for example to log once for many informers. Its methods are called from the
// informer's goroutine, never concurrently for one informer, and must not block.
type Reporter interface {
	// Failed is called with the first failure of a class, when Options.OnError is
	// nil. The failure is logged if it returns false.
	Failed(ctx context.Context, err error) bool
	// Recovered is called when lists and watches succeed again after failures that
	// were reported. That is logged if it returns false.
	Recovered(ctx context.Context, failures int) bool
}

// logFailure logs a failure unless Options.Reporter does.
func (r *reflector[T]) logFailure(ctx context.Context, err error) {
	if reporter := r.options.Reporter; reporter == nil || !reporter.Failed(ctx, err) {
		klog.FromContext(ctx).Error(err, "List or watch failed, trying again")
	}
}

// logRecovery logs that lists and watches succeed again unless Options.Reporter does.
func (r *reflector[T]) logRecovery(ctx context.Context, failures int) {
	if reporter := r.options.Reporter; reporter == nil || !reporter.Recovered(ctx, failures) {
		klog.FromContext(ctx).Info("List or watch works again", "failures", failures)
	}
}
