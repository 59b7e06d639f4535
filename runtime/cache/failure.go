package cache

import (
	"errors"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Failure is a list or watch that failed, or ended with an error.
type Failure struct {
	// Informer is the name of the informer.
	Informer string
	// Err says what failed. Class is its class.
	Err   error
	Class failure.Class
	// Phase says what the informer was doing: PhaseListing, PhaseStreaming or PhaseWatching.
	Phase Phase
	// Opened reports whether the server had accepted the watch or watch-list before Err ended it.
	Opened bool
	// Attempts counts the failures since the last success, including this one. It is zero for a watch that
	// was open, and for a watch-list that a list follows.
	Attempts int
	// Backoff is the time that the informer is about to wait before the next request. Zero means no wait,
	// or a second at most.
	Backoff time.Duration
	// NewClass reports whether the class differs from the last failure's, or this is the first failure
	// since the last success. The informer logs such failures.
	NewClass bool
}

// newFailure returns err as a Failure in a phase of an informer, without Attempts.
func newFailure(informer string, phase Phase, opened bool, err error) Failure {
	return Failure{Informer: informer, Err: err, Class: failure.ClassOf(err), Phase: phase, Opened: opened}
}

// expected reports whether a healthy server may cause the failure.
func (f *Failure) expected() bool {
	return f.Class == failure.ClassExpired || errors.Is(f.Err, failure.ErrWatchTooShort)
}

// Decision says what to do about a Failure. The zero value leaves that to the informer.
type Decision struct {
	// Backoff is the time to wait before the next attempt. Zero means Failure.Backoff. Other times below
	// 100 ms, also negative ones, mean 100 ms.
	Backoff time.Duration
	// Stop ends the informer: Run returns the error of the failure.
	Stop bool
	// Quiet keeps the informer from logging the failure, for example since it was logged elsewhere.
	Quiet bool
}
