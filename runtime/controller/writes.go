package controller

import (
	"context"
	"errors"
	"fmt"
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

// writeTimeout limits how long a key waits for writes that were noted by a call: the informer may not
// follow the object. A store without events learns the latest resourceVersion from bookmarks, which
// come about once a minute. Others are waited for without a limit, and logged as often.
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
	// unanswered is the informer of a write that the server may have made: its store is to have what the
	// server has.
	unanswered *cache.Informer[any]
	// followed is set if the informer follows the object for sure.
	followed bool
	// known, if set, is closed when there is nothing to wait for, and logAt when to log that there is.
	known <-chan struct{}
	logAt time.Time
}

func (w *write) wait(ctx context.Context) error {
	switch {
	case w.known != nil:
		select {
		case <-w.known:
			return nil
		default:
			return context.Canceled // for Ready, which does not block
		}
	case w.unanswered != nil:
		return waitForLatest(ctx, w.unanswered, func(error) {})
	case w.deletion:
		return w.informer.WaitForDeletion(ctx, w.obj)
	}
	return w.informer.WaitForWrite(ctx, w.obj)
}

// goesOn logs that a write did not arrive in time, because of err, and reports whether to go on waiting.
func (w *write) goesOn(logger klog.Logger, err error) bool {
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if late && w.followed {
		logger.Info("Still waiting for own write", "reason", err)
		return true
	}
	logger.Error(err, "Reconciling without own write")
	return false
}

// awaitWrites blocks until the stores have all writes, or ctx ends. All that were noted by a call have
// one writeTimeout.
func awaitWrites(ctx context.Context, writes []write) {
	limit := time.Now().Add(writeTimeout)
	for i := range writes {
		for again := true; again && ctx.Err() == nil; {
			limited, cancel := context.WithDeadline(ctx, limit)
			err := writes[i].wait(limited)
			cancel()
			if again = err != nil && ctx.Err() == nil && writes[i].goesOn(klog.FromContext(ctx), err); again {
				limit = time.Now().Add(writeTimeout)
			}
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
// source.Client. Those of other clients are noted by Wrote and Deleted. An informer is not waited for
// if an object may not be its own: one with selectors that the object does not match, or of other
// namespaces. After a write without an answer, which the server may have made, the store is to have what
// the server has by then. It is safe for concurrent use.
type Writes struct {
	informers []*cache.Informer[any]

	mu      sync.Mutex
	pending map[types.NamespacedName][]write
}

// NewWrites returns the writes to what these informers follow, which Informer.Untyped returns. It is an
// error if one is nil, as factory.Core returns for an informer that is not of this module.
func NewWrites(informers ...*cache.Informer[any]) (*Writes, error) {
	if i := slices.Index(informers, nil); i >= 0 {
		return nil, fmt.Errorf("writes: informer %d is nil, as factory.Core returns for one that is not of this module", i+1)
	}
	return &Writes{informers: informers, pending: map[types.NamespacedName][]write{}}, nil
}

// Context returns ctx as one whose writes are noted for a key.
func (w *Writes) Context(ctx context.Context, key types.NamespacedName) context.Context {
	return &noting{Context: ctx, informers: w.informers, of: &writesOf{w, key}}
}

// writesOf are the writes of one key.
type writesOf struct {
	*Writes
	key types.NamespacedName
}

func (w *writesOf) note(own write) {
	if own.unanswered != nil { // or Ready would have to ask the server
		known := make(chan struct{})
		go func() {
			defer close(known)
			_ = waitForLatest(context.Background(), own.unanswered, func(error) {}) // until the informer stops
		}()
		own.known = known
	}
	w.Writes.note(w.key, own)
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
	own.logAt = time.Now().Add(writeTimeout)
	w.pending[key] = append(w.pending[key], own)
}

// Ready reports whether the stores have everything that was noted for a key. It does not block. What
// was noted by Wrote and Deleted counts as there after a minute, which is logged.
func (w *Writes) Ready(key types.NamespacedName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.pending[key] {
		own := &w.pending[key][i]
		err := own.wait(ended)
		if err == nil {
			continue
		}
		if errors.Is(err, context.Canceled) {
			if time.Now().Before(own.logAt) {
				return false
			}
			own.logAt = time.Now().Add(writeTimeout)
		}
		if own.goesOn(klog.Background().WithValues("key", key), err) {
			return false
		}
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

// noting is a context whose writes are noted.
type noting struct {
	context.Context
	informers []*cache.Informer[any]
	of        interface{ note(write) }
	// written has the latest states that were noted, by writtenKey: a store may not have heard of them.
	written sync.Map
}

type writtenKey struct {
	informer *cache.Informer[any]
	key      types.NamespacedName
}

// Value returns the notes, and otherwise what the context has.
func (n *noting) Value(key any) any {
	if key == (written.Key{}) {
		return n
	}
	return n.Context.Value(key)
}

// Wrote notes a write of which a store is yet to hear.
func (n *noting) Wrote(client any, resource schema.GroupResource, obj metav1.Object) {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	for _, informer := range n.following(client, resource) {
		// An object that the store has gets an event, also when it is not selected any more.
		if _, exists := informer.Store().Get(key); exists || selects(informer.Source(), obj) {
			n.noteAwaited(write{informer: informer, obj: obj, followed: true})
			n.written.Store(writtenKey{informer, key}, obj)
		}
	}
}

// Deleted notes the deletion of an object that was noted, or that a store has now. If it is another one,
// the store is behind, and is to have what the server has.
func (n *noting) Deleted(client any, resource schema.GroupResource, obj metav1.Object) {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	for _, informer := range n.following(client, resource) {
		last, exists := n.written.Load(writtenKey{informer, key})
		if !exists {
			last, _ = informer.Store().Get(key)
		}
		known, err := meta.Accessor(last)
		switch deletion := (write{informer: informer, obj: obj, deletion: true, followed: true}); {
		case err == nil && known.GetUID() == obj.GetUID():
			deletion.obj = known
			n.noteAwaited(deletion)
		case deletion.possible():
			n.of.note(write{unanswered: informer, followed: true})
		}
	}
}

// Unanswered notes that a store is to have what the server has.
func (n *noting) Unanswered(client any, resource schema.GroupResource) {
	for _, informer := range n.following(client, resource) {
		n.of.note(write{unanswered: informer, followed: true})
	}
}

// noteAwaited notes a write unless the store has it, or is not to have it.
func (n *noting) noteAwaited(w write) {
	if errors.Is(w.wait(ended), context.Canceled) {
		n.of.note(w)
	}
}

// possible reports whether the informer may follow the object.
func (w *write) possible() bool {
	err := w.wait(ended)
	return err == nil || errors.Is(err, context.Canceled)
}

// following returns the informers of a resource, in any of its versions.
func (n *noting) following(client any, resource schema.GroupResource) (all []*cache.Informer[any]) {
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
