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

// writeTimeout is for how long a write holds its key. A store without events learns the latest
// resourceVersion from bookmarks, which come about once a minute.
const writeTimeout = time.Minute

// WriteWaiter waits until a store has what was written, as cache.Informer does.
type WriteWaiter interface {
	WaitForWrite(ctx context.Context, obj metav1.Object) error
	WaitForDeletion(ctx context.Context, obj metav1.Object) error
}

// write is something that a store is to have before a key is reconciled again.
type write struct {
	informer WriteWaiter
	// obj was written, as the server returned it, or deleted.
	obj      metav1.Object
	deletion bool
	// unanswered is set for a write that the server may have made. The store must catch up with the
	// server then.
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

// awaitWrites blocks until the stores have all writes, or ctx ends: then the error is about the first
// missing write. Writes that a store will never have are logged.
func awaitWrites(ctx context.Context, writes []write) error {
	for i := range writes {
		err := writes[i].wait(ctx)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			klog.FromContext(ctx).Error(err, "Store will not have own write, not waiting for it")
		}
	}
	return nil
}

// Writes notes what a controller writes for each of its keys, so that it does not reconcile a key
// before the stores have that (KEP-5647). It is for controllers with a work queue of their own; a
// Controller has one:
//
//	if !writes.Ready(key) {
//		queue.AddAfter(key, 100*time.Millisecond)
//		return
//	}
//	err := reconcile(writes.Context(ctx, key), key)
//
// Writes by clients of runtime/clients, which are those that informer-gen generates, are noted by
// themselves if they have that context and an informer of the same resource is over the same
// source.Client. Those of other clients are noted by Wrote and Deleted. An informer is not waited for
// if an object may not be its own: one with selectors that the object does not match, or of other
// namespaces. The server may have made a write without an answer: after it, the store must catch
// up with the server. It is safe for concurrent use.
type Writes struct {
	followed []*followed

	mu      sync.Mutex
	pending map[types.NamespacedName][]*write
}

// NewWrites returns the writes to what these informers follow, which Informer.Untyped returns. It is an
// error if one is nil, as factory.Core returns for an informer that is not of this module.
func NewWrites(informers ...*cache.Informer[any]) (*Writes, error) {
	if i := slices.Index(informers, nil); i >= 0 {
		return nil, fmt.Errorf("writes: informer %d is nil, as factory.Core returns for one that is not of this module", i+1)
	}
	return &Writes{followed: follow(informers), pending: map[types.NamespacedName][]*write{}}, nil
}

// Context returns ctx as one whose writes are noted for a key.
func (w *Writes) Context(ctx context.Context, key types.NamespacedName) context.Context {
	return &noting{Context: ctx, followed: w.followed, note: func(own write) {
		if own.unanswered != nil { // or Ready would have to ask the server
			go func() {
				limited, cancel := context.WithTimeout(context.Background(), writeTimeout)
				defer cancel()
				_ = own.wait(limited)
			}()
		}
		w.note(key, own)
	}}
}

// Wrote notes an object as the server has returned it from a create, an update or a patch, and
// the informer that follows it.
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
	time.AfterFunc(writeTimeout, func() { w.expire(key, &own) })
}

// expire drops a write that has held its key for long enough.
func (w *Writes) expire(key types.NamespacedName, own *write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.pending[key], own) {
		return
	}
	if err := own.wait(ended); err != nil {
		klog.Background().WithValues("key", key).Error(err, "Own write is not waited for any longer")
	}
	w.drop(key, func(other *write) bool { return other == own })
}

// drop drops writes of a key. The caller holds mu.
func (w *Writes) drop(key types.NamespacedName, which func(*write) bool) {
	if w.pending[key] = slices.DeleteFunc(w.pending[key], which); len(w.pending[key]) == 0 {
		delete(w.pending, key)
	}
}

// Ready reports whether the stores have everything that was noted for a key. It does not block. A write
// that is not in the stores after a minute is logged, and holds its key no longer.
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

// ended is for a wait that does not block.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
