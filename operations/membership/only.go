package membership

import (
	"context"
	"errors"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Only returns a reconcile function that does nothing for objects that the member does not own.
// It fits controller.Reconcile of this module, and reconcile.Func of controller-runtime. Get
// returns the object of a key, such as the method of a store.
//
// A key without an object is left out, too: it has been deleted, or released since it belongs
// to another replica. What has to be done for a deleted object needs a finalizer.
//
// A reconcile whose range is lost while it runs returns the zero result and no error: the next
// owner reconciles the object. See Member.BeginHash for its context.
func Only[K any, T metav1.Object, R any](m *Member, get func(K) (T, bool), reconcile func(context.Context, K) (R, error)) func(context.Context, K) (R, error) {
	return func(ctx context.Context, key K) (none R, err error) {
		obj, ok := get(key)
		if !ok {
			return none, nil
		}
		work, end, ok := m.Begin(ctx, obj)
		if !ok {
			return none, nil
		}
		defer end()
		result, err := reconcile(work, key)
		if errors.Is(context.Cause(work), ErrLost) {
			return none, nil
		}
		return result, err
	}
}

// Enqueue calls enqueue with the keys of all objects that the member gains, each time that it
// does, so that a controller with Only reconciles them. All returns the objects of a store. An
// object that arrives in the store later is enqueued by its event.
func Enqueue[T metav1.Object](m *Member, all func() iter.Seq[T], enqueue func(...types.NamespacedName)) {
	m.OnGain(func(gained shard.Ranges) {
		for obj := range all() {
			if gained.Contains(m.By().Hash(obj)) {
				enqueue(types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()})
			}
		}
	})
}
