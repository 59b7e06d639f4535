package cache

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

// New returns client-go's controller, which fills a queue with what a ListerWatcher lists
// and watches, and processes what comes out of it.
func New(c *Config) Controller { return cache.New(c) }

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
