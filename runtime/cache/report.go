package cache

import (
	"cmp"
	"context"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// reporter reports the outcome of a reflector's requests to the status, the log and Options.OnFailure, and
// waits for the next attempt.
type reporter struct {
	name     *name
	about    *SourceInfo
	options  *settings
	recorder *statusRecorder
	// afterFailure is called after each failure.
	afterFailure func(ctx context.Context, f *Failure)
	// outage gets every failure that is logged.
	outage *outage.Reporter
	// recovered notes that the scope works again, and reports whether other scopes of the informer still
	// fail.
	recovered func() (othersFail bool)

	backoff protocol.Backoff
	// opened reports whether the last request was a watch that the server accepted.
	opened bool
}

// decide returns the decision about a failure. Its Backoff is the time to wait.
func (o *settings) decide(ctx context.Context, f Failure) Decision {
	var d Decision
	if o.OnFailure != nil {
		d = o.OnFailure(ctx, f)
	}
	if d.Backoff = cmp.Or(d.Backoff, f.Backoff); d.Backoff != 0 {
		d.Backoff = max(d.Backoff, protocol.MinimumDelay)
	}
	return d
}

// reportFailure reports a list or watch that failed in a phase, and waits for the next attempt. It returns
// err if the informer must stop.
func (r *reporter) reportFailure(ctx context.Context, s protocol.State, phase protocol.Phase, err error) error {
	err = protocol.Explain(err, r.about.Resource, r.about.Namespace, r.name.String())
	f := newFailure(r.name.String(), phaseOf(phase), r.opened, err)
	f.Attempts = r.recorder.failed(err)
	f.NewClass = !f.expected() && r.recorder.report(err)
	if s.Absent() {
		f.Backoff = absentRetry + r.options.jitter(absentRetry/4) // many informers may wait for the resource
	} else {
		f.Backoff = r.backoff.Delay(protocol.HealthOf(err), min(protocol.SuggestedDelay(err), protocol.MaxRetryAfter))
	}
	decision := r.options.decide(ctx, f)
	if f.NewClass && !decision.Quiet {
		decision.Quiet = r.outage.Failed(ctx, f.Err)
	}
	switch logger := klog.FromContext(ctx); {
	case decision.Quiet:
	case f.NewClass:
		logger.Error(f.Err, "List or watch failed, trying again")
	default:
		logger.V(4).Info("List or watch failed, trying again", "err", f.Err)
	}
	if decision.Stop {
		return err
	}
	next := PhaseBackingOff
	if s.Absent() {
		next = PhaseAbsent
	}
	r.recorder.backOff(next, time.Now().Add(decision.Backoff))
	r.afterFailure(ctx, &f) // it may put the informer in sync, so the status must be right
	sleep(ctx, decision.Backoff)
	return nil
}

// pause waits for the next attempt.
func (r *reporter) pause(ctx context.Context, delay time.Duration) {
	r.recorder.backOff(PhaseBackingOff, time.Now().Add(delay))
	sleep(ctx, delay)
}

// sleep waits until d is over or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// reportEnd reports a list or watch in a phase that ended with an error, and that the next request follows
// without a backoff, unless OnFailure wants one. It returns err if the informer must stop.
func (r *reporter) reportEnd(ctx context.Context, s protocol.State, phase protocol.Phase, err error) error {
	notice := protocol.NoticeOf(err, phase, s.Phase)
	f := newFailure(r.name.String(), phaseOf(phase), r.opened, err)
	switch {
	case notice.Fallback:
		r.recorder.because(err)
	case notice.Attempt:
		f.Attempts = r.recorder.failed(err)
	}
	klog.FromContext(ctx).V(notice.Verbosity).Info(notice.Message, "err", err)
	if !notice.Failure {
		return nil
	}
	decision := r.options.decide(ctx, f)
	if decision.Stop {
		return err
	}
	if decision.Backoff > 0 {
		r.pause(ctx, decision.Backoff)
	}
	return nil
}

// succeed reports the recovery if a failure was reported before. Any goroutine may call it.
func (r *reporter) succeed(ctx context.Context) {
	failures, reported := r.recorder.succeeded()
	if !reported {
		return
	}
	logger := klog.FromContext(ctx)
	if quiet := r.recovered(); quiet || !r.outage.Recovered() {
		if quiet || r.outage.OfNames {
			logger = logger.V(2)
		}
		logger.Info("List or watch works again", "failures", failures)
	}
}

func (r *reporter) reportObject(ctx context.Context, err error) {
	r.recorder.objectError(err)
	klog.FromContext(ctx).Error(err, "Object left out")
}
