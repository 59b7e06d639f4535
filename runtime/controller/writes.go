package controller

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/written"
)

// writeTimeout limits how long a key waits for its own writes. A store without events learns
// the latest resourceVersion from bookmarks, which come about once a minute.
const writeTimeout = time.Minute

// WriteWaiter waits until a store has what was written, as cache.Informer does.
type WriteWaiter interface {
	WaitForWrite(ctx context.Context, obj metav1.Object) error
	WaitForDeletion(ctx context.Context, obj metav1.Object) error
}

// write is an object that was written, as the server returned it, or one that was deleted.
type write struct {
	informer WriteWaiter
	obj      metav1.Object
	deletion bool
	until    time.Time
}

func (w write) wait(ctx context.Context) error {
	if w.deletion {
		return w.informer.WaitForDeletion(ctx, w.obj)
	}
	return w.informer.WaitForWrite(ctx, w.obj)
}

// awaitWrites blocks until the stores have all writes, at most for writeTimeout.
func awaitWrites(ctx context.Context, writes []write) {
	limited, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	for _, w := range writes {
		if err := w.wait(limited); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Reconciling without own write")
		}
	}
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
// source.Client. Those of other clients are noted by Wrote and Deleted. What a write does not concern
// for sure is not waited for: an informer with selectors that the object does not match, or of other
// namespaces. It is safe for concurrent use.
type Writes struct {
	informers []*cache.Informer[any]

	mu      sync.Mutex
	pending map[types.NamespacedName][]write
}

// NewWrites returns the writes to what these informers follow, which Informer.Untyped returns.
func NewWrites(informers ...*cache.Informer[any]) *Writes {
	return &Writes{informers: informers, pending: map[types.NamespacedName][]write{}}
}

// Context returns ctx as one whose writes are noted for a key.
func (w *Writes) Context(ctx context.Context, key types.NamespacedName) context.Context {
	return noting(ctx, w.informers, func(own write) { w.note(key, own) })
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
	own.until = time.Now().Add(writeTimeout)
	w.pending[key] = append(w.pending[key], own)
}

// Ready reports whether the stores have everything that was noted for a key. It does not block.
// After a minute, a write counts as there, which is logged.
func (w *Writes) Ready(key types.NamespacedName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.pending[key], func(own write) bool {
		err := own.wait(ended)
		if err != nil && (!errors.Is(err, context.Canceled) || time.Now().After(own.until)) {
			klog.Background().Error(err, "Reconciling without own write", "key", key)
			return true
		}
		return err == nil
	})
	if len(left) > 0 {
		w.pending[key] = left
		return false
	}
	delete(w.pending, key)
	return true
}

// ended is a context with which to wait is to ask.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// noting returns ctx as one whose writes to what informers follow are noted.
func noting(ctx context.Context, informers []*cache.Informer[any], note func(write)) context.Context {
	return written.With(ctx, &notes{informers, note})
}

// notes takes what clients write with a context.
type notes struct {
	informers []*cache.Informer[any]
	note      func(write)
}

// Wrote notes a write of which a store is yet to hear.
func (n *notes) Wrote(client any, resource schema.GroupResource, obj metav1.Object) {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	for _, informer := range n.following(client, resource) {
		// An object that the store has gets an event, also when it is not selected any more.
		if _, exists := informer.Store().Get(key); exists || selects(informer.Source(), obj) {
			n.noteAwaited(write{informer: informer, obj: obj})
		}
	}
}

// Deleting returns a function that notes a deletion of the object that a store has now.
func (n *notes) Deleting(client any, resource schema.GroupResource, key types.NamespacedName) (deleted func()) {
	var deletions []write
	for _, informer := range n.following(client, resource) {
		stored, _ := informer.Store().Get(key)
		if object, err := meta.Accessor(stored); err == nil {
			deletions = append(deletions, write{informer: informer, obj: object, deletion: true})
		}
	}
	return func() {
		for _, deletion := range deletions {
			n.noteAwaited(deletion)
		}
	}
}

// noteAwaited notes a write unless the store has it, or is not to have it.
func (n *notes) noteAwaited(w write) {
	if errors.Is(w.wait(ended), context.Canceled) {
		n.note(w)
	}
}

// following returns the informers of a resource, in any of its versions.
func (n *notes) following(client any, resource schema.GroupResource) (all []*cache.Informer[any]) {
	for _, informer := range n.informers {
		about := informer.Source()
		if about.Client != nil && about.Client == client && about.Resource.GroupResource() == resource {
			all = append(all, informer)
		}
	}
	return all
}

// selects reports whether an object is one that a source selects, as far as is known without the
// server.
func selects(about cache.SourceInfo, obj metav1.Object) bool {
	selector, err := labels.Parse(about.Selecting.LabelSelector)
	return err == nil && selector.Matches(labels.Set(obj.GetLabels())) && about.Selecting.FieldSelector == "" &&
		(about.Namespace == "" || about.Namespace == obj.GetNamespace())
}
