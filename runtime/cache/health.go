package cache

import (
	"fmt"
	"net/http"
	"time"
)

// Stale returns for how long the store may have been out of step with the server:
// the time since LastContact or, before the first, since the start. Zero if the
// informer has not been started.
func (s Status) Stale() time.Duration {
	switch {
	case s.Phase == Pending:
		return 0
	case s.LastContact.IsZero():
		return time.Since(s.Started)
	default:
		return time.Since(s.LastContact)
	}
}

// HealthCheck returns a check for a liveness probe, in the form that
// controller-runtime and apiserver take. It fails if the informer has stopped, or
// if its store may have been out of step with the server for longer than stale,
// which should be several minutes: on a quiet resource a server lets itself be
// heard about once a minute. An informer that waits for its resource to be
// installed is healthy, and so is one that has not been started.
func (i *Informer[T]) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error {
		return i.Status().Check(stale)
	}
}

// Check returns the error of HealthCheck.
func (s Status) Check(stale time.Duration) error {
	if s.Phase == Stopped {
		return fmt.Errorf("informer %q: %w", s.Name, ErrStopped)
	}
	if age := s.Stale(); age > stale {
		return fmt.Errorf("informer %q: %w for %v: %v", s.Name, ErrStale, age.Round(time.Second), s)
	}
	return nil
}
