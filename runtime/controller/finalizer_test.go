package controller_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/controller"
)

// An object is gone when its cleanup has succeeded and nobody else has a finalizer, and not before.
func TestFinalize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		client := configMapResource.Client(n.client, "shop")
		key := types.NamespacedName{Namespace: "shop", Name: "a"}
		var open atomic.Bool
		var cleanups atomic.Int32
		c, err := controller.New("test", func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
			a, exists := n.informer.Store().Get(key)
			if !exists {
				return result, nil
			}
			current, alive, err := controller.Finalize(ctx, client, a, "example.com/mine", func(context.Context) error {
				cleanups.Add(1)
				if !open.Load() {
					return errors.New("not yet")
				}
				return nil
			})
			if alive && !slices.Contains(current.Finalizers, "example.com/mine") {
				t.Errorf("goes on with %v", current)
			}
			return result, err
		}, controller.Options{}, controller.KeysOf(n.informer))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		has := func(what string, want ...string) {
			t.Helper()
			time.Sleep(5 * time.Minute)
			a, err := n.api.Get(key)
			if want == nil != apierrors.IsNotFound(err) || err == nil && !slices.Equal(a.Finalizers, want) {
				t.Errorf("%s: %v, %v; want finalizers %q", what, a, err, want)
			}
		}
		has("at first", "example.com/mine")
		if _, err := client.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/mine","example.com/other"]}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := client.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		has("while the cleanup fails", "example.com/mine", "example.com/other")
		if n := cleanups.Load(); n < 2 {
			t.Errorf("%d attempts", n)
		}
		open.Store(true)
		time.Sleep(20 * time.Minute) // the longest backoff
		has("after the cleanup", "example.com/other")
		before := cleanups.Load()
		if _, err := client.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		has("after the other one's")
		if n := cleanups.Load(); n != before {
			t.Errorf("%d cleanups, want %d", n, before)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// An object that the store has in an earlier state is not changed.
func TestFinalizeIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		client := configMapResource.Client(n.client, "shop")
		a, _ := n.informer.Store().Get(types.NamespacedName{Namespace: "shop", Name: "a"})
		if _, err := client.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/other"]}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		_, alive, err := controller.Finalize(t.Context(), client, a, "example.com/mine", nil)
		if alive || !apierrors.IsConflict(err) {
			t.Errorf("got %v, %v", alive, err)
		}
	})
}

// Without a version a patch would replace the finalizers that the server has, whatever they are: nothing
// is patched then, and nothing cleaned up whose finalizer could not be removed.
func TestFinalizeWithoutVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := note(t, nil, newConfigMap("a", nil))
		client := configMapResource.Client(n.client, "shop")
		key := types.NamespacedName{Namespace: "shop", Name: "a"}
		if _, err := client.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/other"]}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		now, without := metav1.Now(), []string(nil)
		for _, c := range []struct {
			name       string
			deleted    *metav1.Time
			finalizers []string
			refused    bool
		}{
			{"to add", nil, without, true},
			{"has it", nil, []string{"example.com/mine"}, false},
			{"to remove", &now, []string{"example.com/mine"}, true},
			{"has removed it", &now, without, false},
		} {
			blank := newConfigMap("a", nil)
			blank.ResourceVersion, blank.DeletionTimestamp, blank.Finalizers = "", c.deleted, c.finalizers
			_, alive, err := controller.Finalize(t.Context(), client, blank, "example.com/mine", func(context.Context) error {
				t.Errorf("%s: cleaned up", c.name)
				return nil
			})
			if refused := err != nil; refused != c.refused || alive != (c.deleted == nil && !c.refused) {
				t.Errorf("%s: got %v, %v", c.name, alive, err)
			}
			if a, err := n.api.Get(key); err != nil || !slices.Equal(a.Finalizers, []string{"example.com/other"}) {
				t.Errorf("%s: the server has %v, %v", c.name, a, err)
			}
		}
	})
}
