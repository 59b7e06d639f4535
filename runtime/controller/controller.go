package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// syncLogPeriod is the time between log lines that say what a controller waits for before it starts.
const syncLogPeriod = 30 * time.Second

// Reconcile compares the state that a key's object, or its absence, asks for with the actual state, and
// writes the difference. It reads from the stores of informers, and must not change their objects. After an
// error, the key is reconciled again, with a backoff; see Terminal. Its context ends when the controller
// ends, and has a logger with the controller's name and the key.
type Reconcile func(ctx context.Context, key types.NamespacedName) (Result, error)

// Options configure a Controller. The zero value means one worker, with the usual backoff of controllers.
type Options struct {
	// Workers is the number of keys that are reconciled at the same time. Zero is 1.
	Workers int
	// RateLimiter decides the backoff of keys whose reconcile has failed. Nil is
	// workqueue.DefaultTypedControllerRateLimiter: from 5 ms to 1,000 s for a key, and 10 retries per
	// second for all keys after the first 100. Two controllers must not share one.
	RateLimiter workqueue.TypedRateLimiter[types.NamespacedName]
	// WaitFor holds what must be in sync, besides the sources, before a key is reconciled: informers that
	// Reconcile only reads, or a factory with all the informers that it has started.
	WaitFor []SyncWaiter
	// Fence makes Run wait, before a key is reconciled, until the informers of the sources and of WaitFor
	// have what the server has when Run is called, by Informer.WaitForLatest. It is for a controller that
	// runs when it is elected leader, over informers that ran before: it does not act on a state that the
	// former leader has changed. It waits as long as the server cannot be reached. WaitFor must then have
	// informers only, such as factory.Core returns.
	Fence bool
}

// SyncWaiter waits for a sync. cache.Informer, the adapters of clientgo/cache and generated factories are
// SyncWaiters.
type SyncWaiter interface {
	WaitForSync(ctx context.Context) error
}

// Controller reconciles keys; see the package comment. Its methods are safe for concurrent use, also from
// within Reconcile and handlers.
type Controller struct {
	name      string
	reconcile Reconcile
	workers   int
	limiter   workqueue.TypedRateLimiter[types.NamespacedName]
	waitFor   []SyncWaiter
	sources   []Source
	fence     bool
	// informers holds each informer of sources and waitFor once. followed holds the same informers.
	informers []*cache.Informer[any]
	followed  []*followed

	started, ended atomic.Bool
	recorder       recorder
	backlog        *backlog
	goroutines     sync.WaitGroup

	mu sync.Mutex
	// early holds the keys from before Run, each once; there is the set of them. Run sets queue. The queue
	// has a goroutine if there are metrics.
	early []types.NamespacedName
	there map[types.NamespacedName]bool
	queue workqueue.TypedInterface[types.NamespacedName]
}

// New returns a controller, which Run runs. Logs and errors have its name, and so have client-go's
// workqueue metrics of its queue. The error says everything that is wrong with the arguments.
func New(name string, reconcile Reconcile, options Options, sources ...Source) (*Controller, error) {
	c := &Controller{
		name:      name,
		reconcile: reconcile,
		workers:   max(options.Workers, 1),
		limiter:   options.RateLimiter,
		waitFor:   options.WaitFor,
		sources:   sources,
		fence:     options.Fence,
		backlog:   newBacklog(),
		there:     map[types.NamespacedName]bool{},
	}
	if c.limiter == nil {
		c.limiter = workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]()
	}
	if err := c.validate(options); err != nil {
		return nil, c.errorf("%w", err)
	}
	for _, source := range sources {
		c.follow(source.informer)
	}
	for _, other := range options.WaitFor {
		if informer, ok := other.(core); ok {
			c.follow(informer.Untyped())
		}
	}
	c.followed = follow(c.informers)
	return c, nil
}

func (c *Controller) follow(informer *cache.Informer[any]) {
	if !slices.Contains(c.informers, informer) {
		c.informers = append(c.informers, informer)
	}
}

// Enqueue adds keys that come from elsewhere than a source, as live changes. Keys that are added before Run
// wait for it, each once. Keys that are added after Run are ignored.
func (c *Controller) Enqueue(keys ...types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		c.backlog.live(key)
		switch {
		case c.queue != nil:
			c.queue.Add(key)
		case !c.there[key]:
			c.there[key] = true
			c.early = append(c.early, key)
		}
	}
}

// enqueue adds the keys of an event. Lists and resyncs are not live, nor is the replay of objects that the
// informer had before.
func (c *Controller) enqueue(why cause.Kind, keys []types.NamespacedName) {
	switch why {
	case cause.List, cause.Join, cause.Resync:
		for _, key := range keys {
			c.queue.Add(key)
		}
	default:
		c.Enqueue(keys...)
	}
}

// Run waits until all informers are in sync, and then reconciles keys until ctx ends. Then the context of
// running reconciles ends too, waiting keys are dropped, and Run returns nil once the last reconcile has
// returned. Run does not start the informers.
//
// Possible errors: failure.ErrStarted, since a controller runs once, and failure.ErrStopped if an informer
// has stopped or stops while the controller runs. If ctx ends before the sync, the error has a
// *cache.SyncError for each informer that is not in sync. If ctx ends before Options.Fence is met, it has
// the error of each informer that it waits for.
func (c *Controller) Run(ctx context.Context) error {
	if c.started.Swap(true) {
		return c.errorf("%w", failure.ErrStarted)
	}
	ctx = klog.NewContext(ctx, klog.LoggerWithValues(klog.FromContext(ctx), "controller", c.name))
	running, stop := context.WithCancelCause(ctx)
	c.open()
	defer c.close(running)
	defer stop(nil)

	for _, source := range c.sources {
		registration, err := c.addHandler(running, source)
		if err != nil && ctx.Err() != nil {
			break // the wait for the sync says which informers are not in sync
		}
		if err != nil {
			return c.errorf("%w", err)
		}
		c.goroutines.Go(func() {
			<-registration.Done()
			if ctx.Err() == nil {
				stop(fmt.Errorf("%v: %w: %w", source, errSourceEnded, cmp.Or(registration.Err(), failure.ErrStopped)))
			}
		})
	}
	if err := c.waitForSync(running); err != nil {
		return c.errorf("%w", err)
	}
	if c.fence {
		if err := c.waitForFence(running); err != nil {
			return c.errorf("%w", err)
		}
	}
	c.recorder.update(func(s *Status) { s.Synced = true })
	klog.FromContext(ctx).Info("Controller has started", "workers", c.workers, "fence", c.recorder.get().Fence)
	for range c.workers {
		c.goroutines.Go(func() { c.work(running) })
	}
	<-running.Done()
	if err := context.Cause(running); errors.Is(err, errSourceEnded) {
		return c.errorf("%w", err)
	}
	return nil
}

// open makes the queue, with the keys from before Run.
func (c *Controller) open() {
	queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[types.NamespacedName]{Name: c.name, Queue: c.backlog})
	c.mu.Lock()
	c.queue = queue
	c.mu.Unlock()
	c.Enqueue(c.early...)
	c.early, c.there = nil, nil
}

// close ends the queue, waits for all goroutines, and drops the keys that still wait. The context has
// ended.
func (c *Controller) close(ctx context.Context) {
	c.recorder.update(func(s *Status) { s.Synced, s.Stopped = false, true })
	c.backlog.end()
	c.queue.ShutDown()
	c.goroutines.Wait()
	c.work(ctx)
	c.ended.Store(true)
}

// addHandler adds the handler of a source. It is removed when ctx ends.
func (c *Controller) addHandler(ctx context.Context, source Source) (*cache.Registration, error) {
	logger := klog.FromContext(ctx)
	return source.add(ctx, c, cache.HandlerOptions{
		Name:   fmt.Sprintf("controller %s: %s", c.name, source.keys),
		Logger: &logger,
	})
}

// waitForSync waits until the sources and Options.WaitFor are in sync, or until ctx ends. The error joins
// the errors of all that are not in sync.
func (c *Controller) waitForSync(ctx context.Context) error {
	var errs []error
	for _, source := range c.sources {
		errs = append(errs, waitForSync(ctx, source.informer))
	}
	for _, other := range c.waitFor {
		errs = append(errs, waitForSync(ctx, other))
	}
	return errors.Join(errs...)
}

// waitForFence waits until each informer has what the server has now, or until ctx ends.
func (c *Controller) waitForFence(ctx context.Context) error {
	began := time.Now()
	errs := make([]error, len(c.informers))
	var running sync.WaitGroup
	for i, informer := range c.informers {
		running.Go(func() {
			errs[i] = waitForLatest(ctx, informer, func(err error) {
				klog.FromContext(ctx).Error(err, "Waiting for the latest state before the start")
			})
		})
	}
	running.Wait()
	c.recorder.update(func(s *Status) { s.Fence = time.Since(began) })
	return errors.Join(errs...)
}

// latestRetry is the time between two attempts to learn the server's state.
const latestRetry = 5 * time.Second

// waitForLatest waits until an informer has what the server has now, or until ctx or the informer ends. It
// passes the error of each failed attempt to failed, and tries again.
func waitForLatest(ctx context.Context, informer *cache.Informer[any], failed func(error)) error {
	for {
		err := informer.WaitForLatest(ctx)
		if err == nil || errors.Is(err, failure.ErrStopped) || ctx.Err() != nil {
			return err
		}
		failed(err)
		select {
		case <-time.After(latestRetry):
		case <-informer.Stopped():
		case <-ctx.Done():
		}
	}
}

// waitForSync waits for a sync, and logs the reason every syncLogPeriod while it waits.
func waitForSync(ctx context.Context, of SyncWaiter) error {
	for {
		limited, cancel := context.WithTimeoutCause(ctx, syncLogPeriod, errWaitAgain)
		err := of.WaitForSync(limited)
		timeout := limited.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !timeout {
			return err
		}
		klog.FromContext(ctx).Info("Still waiting for sync", "reason", err)
	}
}
