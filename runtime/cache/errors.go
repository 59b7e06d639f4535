package cache

import (
	"errors"
	"runtime/debug"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var (
	// ErrStarted is returned by Run when the informer runs or has run: an
	// informer runs once.
	ErrStarted = errors.New("already started")

	// ErrStopped is returned for what can't be asked of an informer that has
	// stopped: adding a handler or an index, waiting for its sync.
	ErrStopped = errors.New("already stopped")

	// ErrIndexExists is returned when an index of that name is registered.
	ErrIndexExists = errors.New("already registered")

	// ErrIndexUnknown is returned by a lookup in an index that is not
	// registered.
	ErrIndexUnknown = errors.New("not registered")

	// ErrIndexInvalid is returned for an index without a name or a function.
	ErrIndexInvalid = errors.New("needs a name and one function")

	// ErrStale is why an informer is not healthy: for too long, nothing has shown that
	// its store is up to date with the server.
	ErrStale = errors.New("stale")

	// ErrUnknown is returned for an object of which an informer of names does not know whether
	// it exists: its name is not one of the set, or was not listed yet.
	ErrUnknown = errors.New("unknown")

	// ErrBacklogFull is why a handler was removed: more events waited for it
	// than HandlerOptions.Limit allows.
	ErrBacklogFull = errors.New("backlog is over its limit")

	// errHandlerExited is why a handler was removed: it ended the goroutine that
	// calls it, with runtime.Goexit or what uses it, such as the method FailNow of
	// a testing.T.
	errHandlerExited = errors.New("ended its goroutine by runtime.Goexit")
)

// catch turns a panic of the function that defers it into an error.
func catch(err *error) {
	if value := recover(); value != nil {
		*err = &failure.PanicError{Value: value, Stack: debug.Stack()}
	}
}
