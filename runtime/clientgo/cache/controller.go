package cache

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

// New returns a controller that fills a queue with what a ListerWatcher lists and
// watches, and processes what comes out of it, in batches if the queue and the
// config can. The queue may be any. The reflector is that of
// NewReflectorWithOptions.
func New(c *Config) Controller {
	config := *c
	guard, lw := guarded(c.ListerWatcher, informerName(c.ObjectType, c.ObjectDescription, InformerNameAndResource{}), nil)
	config.ListerWatcher = lw
	config.Queue = guardQueue(c.Queue, guard)
	return cache.New(&config)
}

// idleController is what GetController returns: it reports on an informer, and does
// not run it.
type idleController struct {
	informer SharedInformer
}

func (c idleController) RunWithContext(context.Context) {}

func (c idleController) Run(<-chan struct{}) {}

func (c idleController) HasSynced() bool { return c.informer.HasSynced() }

func (c idleController) HasSyncedChecker() DoneChecker { return c.informer.HasSyncedChecker() }

func (c idleController) LastSyncResourceVersion() string { return c.informer.LastSyncResourceVersion() }
