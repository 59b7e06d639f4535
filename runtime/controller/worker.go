package controller

import (
	"context"
	"runtime/debug"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// outcome says how a reconcile ended.
type outcome uint8

const (
	// succeeded means no error.
	succeeded outcome = iota
	// failed means an error after which the key is retried.
	failed
	// terminal means an error of Terminal, after which the key is not retried.
	terminal
	// interrupted means an error, but no panic, after the end of the context.
	interrupted
)

func outcomeOf(ctx context.Context, err error) outcome {
	switch {
	case err == nil:
		return succeeded
	case ctx.Err() != nil && !isPanic(err):
		return interrupted
	case isTerminal(err):
		return terminal
	default:
		return failed
	}
}

// work reconciles keys until the queue is shut down.
func (c *Controller) work(ctx context.Context) {
	returned := false
	defer func() {
		if !returned { // by runtime.Goexit, which can't be stopped
			c.goroutines.Go(func() { c.work(ctx) })
		}
	}()
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			returned = true
			return
		}
		c.process(ctx, key)
	}
}

// process reconciles a key, unless ctx has ended, and decides when it is reconciled next.
func (c *Controller) process(ctx context.Context, key types.NamespacedName) {
	if ctx.Err() != nil {
		c.queue.Done(key)
		return
	}
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("key", key))
	c.recorder.begin(key)
	var result Result
	own := &ownWrites{}
	noting := &noting{Context: ctx, followed: c.followed, note: own.note}
	err := errGoexit
	defer func() {
		result.writes = append(result.writes, own.take()...)
		c.finish(ctx, key, result, err)
	}()
	result, err = c.call(noting, key)
}

// ownWrites collects the writes of a reconcile. Any goroutine of the reconcile may write.
type ownWrites struct {
	mu  sync.Mutex
	all []write
}

func (o *ownWrites) note(w write) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, w)
}

func (o *ownWrites) take() []write {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// call calls the user's function. It returns an error if the function panics or its Result is wrong.
func (c *Controller) call(ctx context.Context, key types.NamespacedName) (result Result, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &failure.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	result, err = c.reconcile(ctx, key)
	if err == nil {
		err = result.check()
	}
	return result, err
}

// finish acts on the result of a reconcile, and gives the key back to the queue: at once, or when the
// stores have what the reconcile wrote.
func (c *Controller) finish(ctx context.Context, key types.NamespacedName, result Result, err error) {
	outcome := outcomeOf(ctx, err)
	c.recorder.end(key, outcome, err)
	switch outcome {
	case succeeded:
		c.limiter.Forget(key)
		if result.After > 0 {
			c.backlog.delay(key, result.After, c.queue.Add) // not live, like a resync
		}
	case failed:
		backoff := c.limiter.When(key)
		klog.FromContext(ctx).Error(err, "Reconcile failed", "failures", c.limiter.NumRequeues(key), "backoff", backoff)
		c.backlog.delay(key, backoff, func(key types.NamespacedName) { c.Enqueue(key) })
	case terminal:
		c.limiter.Forget(key)
		klog.FromContext(ctx).Error(err, "Reconcile failed, not retried")
	}
	if len(result.writes) == 0 {
		c.queue.Done(key)
		return
	}
	c.recorder.update(func(s *Status) { s.AwaitingWrites++ })
	c.goroutines.Go(func() { c.hold(ctx, key, result.writes) })
}

// hold gives a key back to the queue when the stores have what its reconcile wrote, or after a minute. In
// the latter case the status has the key until the stores have the writes.
func (c *Controller) hold(ctx context.Context, key types.NamespacedName, writes []write) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waits := c.await(ctx, writes)
	limited, release := context.WithTimeout(ctx, writeTimeout)
	err := missing(limited, waits)
	release()
	late := err != nil && ctx.Err() == nil
	if late {
		defer c.recorder.overdue(key, err, cancel)()
		klog.FromContext(ctx).Error(err, "Reconciling without own write")
	}
	c.recorder.update(func(s *Status) { s.AwaitingWrites-- })
	c.queue.Done(key)
	if late && missing(ctx, waits) == nil {
		klog.FromContext(ctx).Info("Own write has arrived after all")
	}
}
