package cache

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// errHandlerExited is why a handler was removed: it ended the goroutine that
// calls it, with runtime.Goexit or what uses it, such as the method FailNow of
// a testing.T.
var errHandlerExited = errors.New("ended its goroutine by runtime.Goexit")

// catch turns a panic of the function that defers it into an error.
func catch(err *error) {
	if value := recover(); value != nil {
		*err = &failure.PanicError{Value: value, Stack: debug.Stack()}
	}
}

// Failure is a list or watch that failed, or ended with an error.
type Failure struct {
	// Informer is the name of the informer.
	Informer string
	// Err says what failed, and Class what that means.
	Err   error
	Class failure.Class
	// Phase says what the informer was doing: PhaseListing, PhaseStreaming or PhaseWatching.
	Phase Phase
	// Opened reports whether the server had accepted the watch or watch-list before Err ended it.
	Opened bool
	// Attempts counts the failures since the last success, this one included. It is zero
	// for a watch that was open, and for a watch-list that a list follows.
	Attempts int
	// Backoff is the time that the informer is about to wait before the next request. Zero is no
	// wait, or a second at the most.
	Backoff time.Duration
	// NewClass reports whether the failure is of another class than the last one since all was
	// well. The informer logs such failures.
	NewClass bool
}

// newFailure returns the failure that err is, in a phase of an informer, without Attempts.
func newFailure(informer string, phase Phase, opened bool, err error) Failure {
	return Failure{Informer: informer, Err: err, Class: failure.ClassOf(err), Phase: phase, Opened: opened}
}

// expected reports whether a failure is one that a healthy server may cause.
func (f *Failure) expected() bool {
	return f.Class == failure.ClassExpired || errors.Is(f.Err, failure.ErrWatchTooShort)
}

// Decision says what to do about a Failure. The zero value leaves that to the informer.
type Decision struct {
	// Backoff is the time to wait before the next attempt. Zero is Failure.Backoff. Other times
	// below 100 ms, also negative ones, are 100 ms.
	Backoff time.Duration
	// Stop ends the informer: Run returns the error of the failure.
	Stop bool
	// Quiet is for a failure that was logged elsewhere, or should not be: the informer
	// does not log it.
	Quiet bool
}
