package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// writeTimeout is the longest time for which a write holds its key. A store without events learns the
// latest resourceVersion from bookmarks, which come about once a minute.
const writeTimeout = time.Minute

// WriteWaiter waits until a store has a write, as cache.Informer does.
type WriteWaiter interface {
	WaitForWrite(ctx context.Context, obj metav1.Object) error
	WaitForDeletion(ctx context.Context, obj metav1.Object) error
}

// write is a write that a store must have before its key is reconciled again.
type write struct {
	informer WriteWaiter
	// obj is the object as the server returned it or, for a deletion, the object that was deleted.
	obj      metav1.Object
	deletion bool
	// unanswered is set for a write that the server may have made. Then the store must catch up with the
	// server, and the other fields are zero.
	unanswered *unanswered
}

// wait blocks until the store has the write, or ctx ends. Another error says that the store will never
// have the write.
func (w *write) wait(ctx context.Context) error {
	switch {
	case w.unanswered != nil:
		return w.unanswered.wait(ctx)
	case w.deletion:
		return w.informer.WaitForDeletion(ctx, w.obj)
	}
	return w.informer.WaitForWrite(ctx, w.obj)
}

// awaited is a wait for a write. Over is closed when the wait has ended.
type awaited struct {
	write
	over chan struct{}
}

// await begins the waits for writes, all at once: a wait does not know of earlier restarts of the server's
// history. Writes that a store will never have are logged.
func (c *Controller) await(ctx context.Context, writes []write) (all []awaited) {
	for _, own := range writes {
		w := awaited{own, make(chan struct{})}
		all = append(all, w)
		c.goroutines.Go(func() {
			defer close(w.over)
			if err := w.wait(ctx); err != nil && ctx.Err() == nil {
				klog.FromContext(ctx).Error(err, "Store will not have own write, not waiting for it")
			}
		})
	}
	return all
}

// missing blocks until all waits are over, or ctx ends: then the error is about the first missing write.
func missing(ctx context.Context, all []awaited) error {
	for _, w := range all {
		select {
		case <-w.over:
			continue
		case <-ctx.Done():
		}
		err := w.wait(ctx)
		select {
		case <-w.over:
		default:
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Writes notes the writes that a controller makes for each of its keys, so that it does not reconcile a key
// before the stores have them (KEP-5647). It is for controllers with a work queue of their own; a
// Controller has one:
//
//	if !writes.Ready(key) {
//		queue.AddAfter(key, 100*time.Millisecond)
//		return
//	}
//	err := reconcile(writes.Context(ctx, key), key)
//
// Clients of runtime/clients, which informer-gen generates, note their writes themselves. The requests must
// have the context of Writes.Context, and an informer of the same resource must read over the same
// source.Client. Wrote and Deleted note the writes of other clients.
//
// A key does not wait for an informer that may not follow the object: an informer of other namespaces, or
// with selectors that the object does not match. A write without an answer may have been made: after it,
// the store must catch up with the server. Writes is safe for concurrent use.
type Writes struct {
	followed []*followed

	mu      sync.Mutex
	pending map[types.NamespacedName][]*write
}

// NewWrites returns Writes for the objects of informers, which Informer.Untyped returns. It returns an
// error if an informer is nil. factory.Core returns nil for an informer that is not of this module.
func NewWrites(informers ...*cache.Informer[any]) (*Writes, error) {
	if i := slices.Index(informers, nil); i >= 0 {
		return nil, fmt.Errorf("writes: informer %d is nil, as factory.Core returns for one that is not of this module", i+1)
	}
	return &Writes{followed: follow(informers), pending: map[types.NamespacedName][]*write{}}, nil
}

// Context returns a copy of ctx that notes, for a key, the writes of the requests that are sent with it.
func (w *Writes) Context(ctx context.Context, key types.NamespacedName) context.Context {
	return &noting{Context: ctx, followed: w.followed, note: func(own write) { w.note(key, own) }}
}

// Wrote notes an object as the server has returned it from a create, an update or a patch, and the informer
// that follows it.
func (w *Writes) Wrote(key types.NamespacedName, informer WriteWaiter, obj metav1.Object) {
	w.note(key, write{informer: informer, obj: obj})
}

// Deleted notes an object, as it was read, whose deletion the server has accepted.
func (w *Writes) Deleted(key types.NamespacedName, informer WriteWaiter, obj metav1.Object) {
	w.note(key, write{informer: informer, obj: obj, deletion: true})
}

func (w *Writes) note(key types.NamespacedName, own write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[key] = append(w.pending[key], &own)
	go w.await(key, &own)
}

// await drops a write when a store has it or will never have it, or after writeTimeout. Ready may be earlier, but
// knows neither of restarts of the server's history since the write, nor what the server has.
func (w *Writes) await(key types.NamespacedName, own *write) {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	err := own.wait(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && slices.Contains(w.pending[key], own) {
		klog.Background().WithValues("key", key).Error(err, "Own write is not waited for any longer")
	}
	w.drop(key, func(other *write) bool { return other == own })
}

// drop drops the writes of a key for which the function returns true. The caller holds mu.
func (w *Writes) drop(key types.NamespacedName, which func(*write) bool) {
	if w.pending[key] = slices.DeleteFunc(w.pending[key], which); len(w.pending[key]) == 0 {
		delete(w.pending, key)
	}
}

// Ready reports whether the stores have all writes that were noted for a key. It does not block. A write
// that a store does not have after a minute is logged, and no longer holds its key.
func (w *Writes) Ready(key types.NamespacedName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(key, func(own *write) bool {
		err := own.wait(ended)
		if err != nil && !errors.Is(err, context.Canceled) {
			klog.Background().WithValues("key", key).Error(err, "Store will not have own write, not waiting for it")
			return true
		}
		return err == nil
	})
	return len(w.pending[key]) == 0
}

// ended is a context that has ended, for a wait that does not block.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
