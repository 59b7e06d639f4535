package cache

import (
	"context"
)

// idleController is returned by GetController: it reports on an informer, and does
// not run it.
type idleController struct {
	informer SharedInformer
}

func (c idleController) RunWithContext(context.Context) {}

func (c idleController) Run(<-chan struct{}) {}

func (c idleController) HasSynced() bool { return c.informer.HasSynced() }

func (c idleController) HasSyncedChecker() DoneChecker { return SyncedChecker(c.informer) }

func (c idleController) LastSyncResourceVersion() string { return c.informer.LastSyncResourceVersion() }
