package cache

import (
	"context"
	"fmt"
	"sync"
)

// Registration is a handler that was added to an informer. Its methods are safe for concurrent use, also
// from within the handler.
type Registration struct {
	name string

	completeOnce sync.Once
	// synced is closed by complete.
	synced chan struct{}
	// done is closed when the handler will not be called again.
	done chan struct{}

	mu sync.Mutex
	// remove is nil once the handler was removed. status returns a constant once the handler will not be
	// called again. So a registration that is kept refers to nothing of its informer.
	remove func()
	status func() HandlerStatus
	// err says why the informer removed the handler. It is nil if the user asked for it.
	err error
}

// Name returns the handler's name.
func (r *Registration) Name() string { return r.name }

// Synced returns a channel that is closed when the informer is in sync and the handler has returned for
// each object of the initial list, or when the handler is removed. It stays open if the informer stops
// before.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// Done returns a channel that is closed when the handler was removed or the informer has stopped, and the
// last call of the handler has returned.
func (r *Registration) Done() <-chan struct{} { return r.done }

// Remove removes the handler from the informer. It does not wait for a call in progress; use Wait for that.
// No other call follows. Removing the handler again does nothing.
func (r *Registration) Remove() {
	r.mu.Lock()
	remove := r.remove
	r.mu.Unlock()
	if remove != nil {
		remove()
	}
}

// Wait blocks until Done is closed. The handler itself must not call it. Possible errors: the cause of ctx,
// with the handler's name.
func (r *Registration) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("handler %q: may still be called: %w", r.name, context.Cause(ctx))
	}
}

// Err returns why the informer has removed the handler: failure.ErrBacklogFull, or that the handler ended
// its goroutine. It is nil if the informer has not removed it.
func (r *Registration) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// removed notes that the handler was removed, and why, and closes Synced.
func (r *Registration) removed(err error) {
	r.mu.Lock()
	r.err, r.remove = err, nil
	r.mu.Unlock()
	r.complete()
}

// end notes that the handler will not be called again.
func (r *Registration) end() {
	r.mu.Lock()
	last := r.status()
	r.status = func() HandlerStatus { return last }
	r.mu.Unlock()
	close(r.done)
}

// Backlog returns the number of events that wait for the handler, including the event with which it is
// being called. Up to 63 events from which a busy handler has returned in the last millisecond or so may
// still be counted. Merged events count once per object. It is zero after the handler was removed or the
// informer has stopped.
func (r *Registration) Backlog() int { return r.Status().Backlog }

// Status returns the progress of the handler, also after it was removed.
func (r *Registration) Status() HandlerStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status()
}

func (r *Registration) complete() {
	r.completeOnce.Do(func() { close(r.synced) })
}
