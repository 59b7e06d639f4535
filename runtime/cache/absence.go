package cache

import (
	"context"
	"errors"
	"time"

	"k8s.io/klog/v2"
)

// absence decides whether a resource was removed. A 404 does not show that: proxies
// answer it too, and API servers that are starting or being upgraded. Objects are deleted
// only if the server's discovery has been without the resource for a while, each time
// that it was asked.
type absence struct {
	// since is when discovery was first without the resource; zero if it was not, or
	// has had the resource again.
	since time.Time
}

// proven notes what discovery said, and reports whether that is enough.
func (a *absence) proven(served bool, err error, now time.Time, grace time.Duration) bool {
	switch {
	case served || err != nil:
		a.since = time.Time{}
	case a.since.IsZero():
		a.since = now
	}
	return !a.since.IsZero() && now.Sub(a.since) >= grace
}

// served asks discovery whether the server serves the resource, for no longer than until the
// resource is due to be requested again.
func (r *reflector) served(ctx context.Context) (bool, error) {
	if r.about.Served == nil {
		return false, errors.ErrUnsupported
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.options.idleTimeout(), max(r.options.absentRetry(), minimumDelay)))
	defer cancel()
	return r.about.Served(ctx)
}

// vanish deletes the objects of a resource that was removed, when that is proven.
func (r *reflector) vanish(ctx context.Context, s state) state {
	if !r.waits(s) {
		r.absence = absence{}
		return s
	}
	if r.options.KeepAbsent || s.resourceVersion == "" {
		r.recorder.contact()
		return s
	}
	served, err := r.served(ctx)
	if errors.Is(err, errors.ErrUnsupported) || err == nil && !served {
		r.recorder.contact()
	}
	if !r.absence.proven(served, err, time.Now(), r.options.absentGrace()) {
		return s
	}
	klog.FromContext(ctx).Info("Resource is not served any more, deleting its objects", "since", r.absence.since)
	r.begin()
	s.resourceVersion = ""
	r.recorder.leftOut.endVisit()
	r.push(delta{kind: replaced, list: &wholeList{cause: &resourceRemoved}})
	return s
}

// waits is whether the informer waits for its resource to be installed.
func (r *reflector) waits(s state) bool { return s.absent() && r.options.absentRetry() > 0 }
