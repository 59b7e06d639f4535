package controller

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/written"
)

// noting is a context that notes the writes of the requests that are sent with it. Any goroutine may write
// with it.
type noting struct {
	context.Context
	followed []*followed
	note     func(write)
	// written has the latest state of each object that was noted, by writtenKey. A store may not have heard
	// of the object yet.
	written sync.Map
}

type writtenKey struct {
	*followed
	key types.NamespacedName
}

// Value returns the context itself for the key of its notes, and the value of the wrapped context for other
// keys.
func (n *noting) Value(key any) any {
	if key == (written.Key{}) {
		return n
	}
	return n.Context.Value(key)
}

// Wrote notes a write for each informer whose store will have the object, but does not have it yet.
func (n *noting) Wrote(client any, resource schema.GroupResource, obj metav1.Object) {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	for _, f := range n.following(client, resource) {
		_, noted := n.written.Load(writtenKey{f, key})
		_, stored := f.Store().Get(key)
		// The store gets an event of an object that it has, or is about to have, also if the informer does
		// not select the object's new state.
		if noted || stored || selects(f.Source(), obj) {
			n.noteAwaited(write{informer: f, obj: obj})
			n.written.Store(writtenKey{f, key}, obj)
		}
	}
}

// Deleted notes the deletion of an object that was noted, or that a store has now. If the store has another
// object of the same name, or the response has no UID, the store must catch up with the server.
func (n *noting) Deleted(client any, resource schema.GroupResource, obj metav1.Object) {
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	for _, f := range n.following(client, resource) {
		last, exists := n.written.Load(writtenKey{f, key})
		if !exists {
			last = withoutVersion(f.Store().Get(key))
		}
		known, err := meta.Accessor(last)
		switch deletion := (write{informer: f, obj: obj, deletion: true}); {
		case err == nil && obj.GetUID() != "" && known.GetUID() == obj.GetUID():
			deletion.obj = known
			n.noteAwaited(deletion)
		case deletion.possible():
			n.note(write{unanswered: f.ask()})
		}
	}
}

// withoutVersion returns a copy of an object of a store, without a resourceVersion that a deletion would
// wait for. The store has the object already, and a transform may have changed its version.
func withoutVersion(stored any, exists bool) any {
	object, ok := stored.(runtime.Object)
	if !exists || !ok {
		return stored
	}
	object = object.DeepCopyObject()
	if m, err := meta.Accessor(object); err == nil {
		m.SetResourceVersion("")
	}
	return object
}

// Unanswered notes a write that the server may have made: the stores of the resource must catch up with the
// server.
func (n *noting) Unanswered(client any, resource schema.GroupResource) {
	for _, f := range n.following(client, resource) {
		n.note(write{unanswered: f.ask()})
	}
}

// noteAwaited notes a write if the store does not have it, but may get it.
func (n *noting) noteAwaited(w write) {
	if errors.Is(w.wait(ended), context.Canceled) {
		n.note(w)
	}
}

// possible reports whether the informer may follow the object of the write.
func (w *write) possible() bool {
	err := w.wait(ended)
	return err == nil || errors.Is(err, context.Canceled)
}

// following returns the informers of a resource, in any of its versions, that read with the client.
func (n *noting) following(client any, resource schema.GroupResource) (all []*followed) {
	for _, f := range n.followed {
		about := f.Source()
		if about.Client != nil && about.Client == client && about.Resource.GroupResource() == resource {
			all = append(all, f)
		}
	}
	return all
}

// selects reports whether a source certainly selects an object. Only the server can tell for a field
// selector.
func selects(about cache.SourceInfo, obj metav1.Object) bool {
	selector, err := labels.Parse(about.Selecting.LabelSelector)
	return err == nil && selector.Matches(labels.Set(obj.GetLabels())) && about.Selecting.FieldSelector == "" &&
		(about.Namespace == "" || about.Namespace == obj.GetNamespace())
}
