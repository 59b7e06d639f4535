package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// explain says what somebody has to do about a failure that does not mend itself.
func (r *reflector[T]) explain(err error) error {
	switch class := ClassOf(err); {
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%w; the server does not accept the credentials: are they missing or expired?", err)
	case class == ClassForbidden:
		return fmt.Errorf("%w; RBAC must grant list and watch on %s", err, r.target())
	case class == ClassNotFound:
		return fmt.Errorf("%w; the server does not have %s: is its CRD installed?", err, r.target())
	default:
		return err
	}
}

// target names what the source lists and watches.
func (r *reflector[T]) target() string {
	var resource schema.GroupVersionResource
	var namespace string
	if source, ok := r.source.(targeted); ok {
		resource, namespace = source.Target()
	}
	if resource.Empty() {
		return r.options.name()
	}
	if namespace == "" {
		return fmt.Sprintf("%s (version %s) in all namespaces", resource.GroupResource(), resource.Version)
	}
	return fmt.Sprintf("%s (version %s) in namespace %q", resource.GroupResource(), resource.Version, namespace)
}

// fail reports a list or watch that failed in that phase, and waits for the next
// attempt. It returns err if there is to be none.
func (r *reflector[T]) fail(ctx context.Context, s state, phase Phase, err error) error {
	attempts := r.board.failed(err)
	r.report(ctx, err)
	failure := Failure{Err: err, Class: ClassOf(err), Phase: phase, Attempts: attempts}
	if r.waits(s) {
		failure.Rest = r.options.absentRest()
	} else {
		failure.Rest = r.backoff.rest(time.Now(), suggestedDelay(err))
	}
	decision := r.options.decide(ctx, failure)
	if decision.Stop {
		return err
	}
	if r.waits(s) {
		r.board.enter(Absent)
	} else {
		r.board.enter(BackingOff)
	}
	rest(ctx, decision.Rest)
	return nil
}

// report tells the user of a failure. Only the first of its class is logged, and not
// one that was made up for: a server that forbids a watch-list, say, forbids the list
// after it too.
func (r *reflector[T]) report(ctx context.Context, err error) {
	logger := klog.FromContext(ctx)
	news := r.reported == nil || ClassOf(r.reported) != ClassOf(err)
	switch {
	case r.options.OnError != nil:
		r.reported = err
		r.options.OnError(ctx, err)
	case isExpired(err), errors.Is(err, ErrWatchTooShort), !news:
		logger.V(4).Info("List or watch failed, trying again", "err", err)
	default:
		r.reported = err
		r.logFailure(ctx, err)
	}
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// detour tells that a request failed in a way that another one makes up for. A
// watch on which nothing happens is no failure: there may be nothing to tell.
func (r *reflector[T]) detour(ctx context.Context, err error) {
	logger := klog.FromContext(ctx)
	if errors.Is(err, ErrWatchIdle) {
		logger.V(4).Info("Watch is silent, opening it again", "err", err)
		return
	}
	if errors.Is(err, ErrUndecodable) {
		logger.V(2).Info("Listing again", "err", err)
		return
	}
	r.board.failed(err)
	if errors.Is(err, ErrBookmarkMissing) {
		logger.Info("Watch-list given up for good, listing instead", "err", err)
		return
	}
	logger.V(2).Info("List or watch goes on in another way", "err", err)
}

// succeed tells that all is well again, if it was told that it was not.
func (r *reflector[T]) succeed(ctx context.Context) {
	failures := r.board.succeeded()
	if r.reported != nil {
		r.reported = nil
		r.logRecovery(ctx, failures)
	}
}

func (r *reflector[T]) reportObject(ctx context.Context, err error) {
	r.board.leftOut(err)
	klog.FromContext(ctx).Error(err, "Object left out")
}
