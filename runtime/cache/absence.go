package cache

import (
	"context"
	"errors"
	"time"
)

// absence gathers proof that a resource was removed. A 404 is none: a proxy answers it
// as well, and an API server that is starting or being upgraded. Objects are deleted
// only if the server's discovery has said for a while, and each time it was asked,
// that there is no such resource.
type absence struct {
	// since is when discovery first said so; zero if it has not, or said otherwise
	// since.
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

// served asks discovery whether the server serves the resource.
func (r *reflector[T]) served(ctx context.Context) (bool, error) {
	source, ok := r.source.(served)
	if !ok {
		return false, errors.ErrUnsupported
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.idleTimeout())
	defer cancel()
	return source.Served(ctx)
}
