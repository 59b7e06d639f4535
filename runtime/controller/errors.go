package controller

import (
	"errors"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var (
	// ErrStuck is the error of a health check when a reconcile takes too long.
	ErrStuck = errors.New("stuck")

	// errSourceEnded is the error of Run when it returns before its context ends: an informer stopped, or a
	// mapping function ended the goroutine of its handler.
	errSourceEnded = errors.New("ended before the controller, which would miss changes")

	// errWaitAgain ends one period of a wait for sync; the next period follows. In the log it stands after
	// "stopped waiting: ".
	errWaitAgain = errors.New("only for this log line")

	// errNoVersion is the error of Finalize for an object whose patch could drop finalizers that Finalize
	// has not seen.
	errNoVersion = errors.New("object has no resourceVersion, without which a patch can drop finalizers of others: does a transform remove it?")

	// errGoexit is the result of a reconcile that ended its goroutine.
	errGoexit = errors.New("reconcile ended its goroutine by runtime.Goexit, which FailNow of a testing.T calls")
)

// isPanic reports whether err comes from a reconcile that panicked.
func isPanic(err error) bool {
	var panicked *failure.PanicError
	return errors.As(err, &panicked)
}

// terminalError is an error that is not retried.
type terminalError struct{ error }

func (e terminalError) Unwrap() error { return e.error }

// Terminal marks err as an error that is logged and counted, but not retried: the key is reconciled again
// after the next change. Terminal(nil) is nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return terminalError{err}
}

// isTerminal reports whether err is, or wraps, an error of Terminal.
func isTerminal(err error) bool {
	var terminal terminalError
	return errors.As(err, &terminal)
}
