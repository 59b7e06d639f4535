package cache

import "context"

// controller is what GetController returns: it reports on an informer, and does
// not run it.
type controller struct {
	informer SharedInformer
}

func (c controller) RunWithContext(context.Context) {}

func (c controller) Run(<-chan struct{}) {}

func (c controller) HasSynced() bool { return c.informer.HasSynced() }

func (c controller) HasSyncedChecker() DoneChecker { return c.informer.HasSyncedChecker() }

func (c controller) LastSyncResourceVersion() string { return c.informer.LastSyncResourceVersion() }
