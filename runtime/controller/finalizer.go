package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// Patcher patches objects. Clients that informer-gen generates and clientsets' clients are Patchers.
type Patcher[T any] interface {
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error)
}

// Finalize runs a cleanup before an object is gone. Call it at the beginning of a reconcile, with an object
// of the store:
//
//	order, alive, err := controller.Finalize(ctx, shop.Orders(key.Namespace), order, "shop.example.com/parcel",
//		func(ctx context.Context) error { return parcels.Cancel(ctx, order.UID) })
//	if err != nil || !alive {
//		return result, err
//	}
//
// Finalize adds the finalizer to an object that is not being deleted, and returns the object as it is then.
// For an object that is being deleted, it calls cleanup and then removes the finalizer; alive is false. It
// returns an error of cleanup, and the next reconcile calls cleanup again. A cleanup must bear being called
// again, even after a success. If the object still waits for other finalizers, Finalize logs them. Patches
// carry the resourceVersion, so that they fail with a conflict if the store was behind. A transform must
// therefore keep the resourceVersion and the finalizers. For an object without a resourceVersion Finalize
// patches nothing, and returns a Terminal error.
func Finalize[T metav1.Object](ctx context.Context, client Patcher[T], obj T, finalizer string, cleanup func(context.Context) error) (current T, alive bool, err error) {
	finalizers := obj.GetFinalizers()
	has, live := slices.Contains(finalizers, finalizer), obj.GetDeletionTimestamp() == nil
	if has != live && obj.GetResourceVersion() == "" {
		return obj, false, Terminal(fmt.Errorf("finalizer %q: %w", finalizer, errNoVersion))
	}
	if live {
		if has {
			return obj, true, nil
		}
		current, err = patchFinalizers(ctx, client, obj, append(slices.Clone(finalizers), finalizer))
		return current, err == nil, err
	}
	others := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return f == finalizer })
	if has {
		if err := cleanup(ctx); err != nil {
			return obj, false, err
		}
		if _, err := patchFinalizers(ctx, client, obj, others); err != nil && !apierrors.IsNotFound(err) {
			return obj, false, err
		}
	}
	if len(others) > 0 {
		klog.FromContext(ctx).Info("Deletion waits for other finalizers", "finalizers", others, "since", obj.GetDeletionTimestamp())
	}
	return obj, false, nil
}

func patchFinalizers[T metav1.Object](ctx context.Context, client Patcher[T], obj T, finalizers []string) (T, error) {
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": obj.GetResourceVersion(), "finalizers": finalizers}}
	data, err := json.Marshal(patch)
	if err != nil {
		return obj, err
	}
	return client.Patch(ctx, obj.GetName(), types.MergePatchType, data, metav1.PatchOptions{})
}
