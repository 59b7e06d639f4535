package cache

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

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

// SyncError says why an informer is not in sync. WaitForSync returns it when its
// context ends, or the informer stops, before the informer is in sync. Status.CheckSynced
// returns it at once.
type SyncError struct {
	// Informer is the name of the informer.
	Informer string
	// Handler is the name of the handler that still replays the initial list,
	// when it is a handler that was waited for.
	Handler string
	// Status says what the informer was doing.
	Status Status
	// Cause is why the waiting ended, in general context.Cause of its context. It is nil if
	// nothing has waited.
	Cause error
}

// Error returns the names, what the informer is doing instead, and the cause.
func (e *SyncError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "informer %q: not in sync: ", e.Informer)
	if e.Handler != "" {
		fmt.Fprintf(&b, "replaying to handler %q, ", e.Handler)
	}
	b.WriteString(e.Status.String())
	if e.Cause != nil {
		fmt.Fprintf(&b, "; stopped waiting: %v", e.Cause)
	}
	return b.String()
}

// Unwrap returns the cause and the informer's last error, so that errors.Is
// and errors.As find both.
func (e *SyncError) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Cause, e.Status.LastError}, func(err error) bool { return err == nil })
}
