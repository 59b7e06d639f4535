package cache

import (
	"fmt"
	"sync"
)

// Registration is a handler's place in its informer. Its methods are safe for
// concurrent use, also from within the handler.
type Registration struct {
	name    string
	remove  func()
	backlog func() int

	completeOnce sync.Once
	// synced is closed by complete.
	synced chan struct{}
	// done is closed when the handler will not be called again.
	done chan struct{}
}

// Name returns the handler's name.
func (r *Registration) Name() string { return r.name }

// Synced returns a channel that is closed when the informer is in sync and the
// handler has returned for each object of the initial list, or when the
// handler is removed. It stays open if the informer stops before.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// Done returns a channel that is closed when the handler will not be called
// again: it was removed, or the informer has stopped, and the last call has
// returned.
func (r *Registration) Done() <-chan struct{} { return r.done }

// Remove takes the handler out of the informer. It does not wait for a running
// call, which is what Done is for; no other call follows. Removing it again
// does nothing.
func (r *Registration) Remove() { r.remove() }

// Backlog returns how many events wait for the handler, the one that it is called
// with included. While the handler is at work, up to seven that it has returned from
// may be among them.
func (r *Registration) Backlog() int { return r.backlog() }

func (r *Registration) complete() {
	r.completeOnce.Do(func() { close(r.synced) })
}

// handlerName is the name of a handler without one.
func handlerName(handler any) string { return fmt.Sprintf("%T", handler) }
