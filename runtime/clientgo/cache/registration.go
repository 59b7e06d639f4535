package cache

import core "github.com/informer-gen/informer-gen/runtime/cache"

// registration is the handle of a handler.
type registration struct {
	core *core.Registration
	// informer is the core informer that the handler was added to.
	informer *core.Informer[any]
	name     string
}

func (r *registration) HasSynced() bool { return closed(r.core.Synced()) }

func (r *registration) HasSyncedChecker() DoneChecker {
	return doneChecker{name: r.name, done: r.core.Synced()}
}

// ShutdownChan returns a channel that is closed when the handler will not be called again.
// ShutDownEventHandler looks for this method.
func (r *registration) ShutdownChan() <-chan struct{} { return r.core.Done() }

// doneChecker is a channel with a name.
type doneChecker struct {
	name string
	done <-chan struct{}
}

func (c doneChecker) Name() string { return c.name }

func (c doneChecker) Done() <-chan struct{} { return c.done }

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
