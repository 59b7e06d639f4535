package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// SyncError says why an informer is not in sync. WaitForSync returns it if its context ends, or the
// informer stops, before the informer is in sync. Status.CheckSynced returns it at once.
type SyncError struct {
	// Informer is the name of the informer.
	Informer string
	// Handler is the name of the handler that still replays the initial list. It is empty if the wait was
	// not for a handler.
	Handler string
	// Status says what the informer was doing.
	Status Status
	// Cause is the reason why the wait ended, in general context.Cause of its context. It is nil if there
	// was no wait.
	Cause error
}

// Error names the informer, the handler, what the informer is doing, and the cause.
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

// WaitForSync blocks until the store holds the first list and every handler that was added before the call
// has returned for each of its objects. The error is a *SyncError: it says what the informer is doing, and
// wraps the cause of the context, or failure.ErrStopped if the informer has stopped.
func (e *engine) WaitForSync(ctx context.Context) error {
	if e.invalid != nil {
		return e.invalid
	}
	if err := e.await(ctx, e.synced); err != nil {
		return &SyncError{Informer: e.Name(), Status: e.Status(), Cause: err}
	}
	for _, l := range *e.listeners.Load() {
		if err := e.await(ctx, l.registration.synced); err != nil {
			return &SyncError{Informer: e.Name(), Handler: l.registration.name, Status: e.Status(), Cause: err}
		}
	}
	return nil
}

// await blocks until done is closed, or ctx or the informer ends. It returns nil if done is closed,
// whatever else has ended.
func (e *engine) await(ctx context.Context, done <-chan struct{}) error {
	var err error
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-e.stopped:
		err = failure.ErrStopped
	}
	if closed(done) {
		return nil
	}
	return err
}

// closed reports whether a channel on which nothing is sent is closed.
func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// namesTimeout limits WaitForNames if its context has no deadline.
const namesTimeout = time.Minute

// WaitForNames blocks until an informer of a set of names knows all of the given objects: they are in the
// set, and were listed. If ctx has no deadline, it waits for a minute, since a name may never be added to
// the set. Every error is a failure.ErrUnknown. It says that the server refuses a name, or wraps
// failure.ErrStopped or the cause of the context.
func (e *engine) WaitForNames(ctx context.Context, names ...types.NamespacedName) error {
	unknown := slices.DeleteFunc(slices.Clone(names), func(key types.NamespacedName) bool {
		why, _ := e.unknown(key)
		return why == nil
	})
	if _, limited := ctx.Deadline(); !limited && len(unknown) > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, namesTimeout)
		defer cancel()
	}
	for _, key := range unknown {
		for {
			changed := e.fanout.changed.Next()
			why, refused := e.unknown(key)
			if why == nil {
				break
			}
			if refused {
				return e.errorf("%w", why)
			}
			if err := e.await(ctx, changed); err != nil {
				return e.errorf("%w; stopped waiting: %w", why, err)
			}
		}
	}
	return nil
}
