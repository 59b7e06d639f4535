package e2e

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
)

// The store of a busy and of a quiet resource has what the server has when WaitForLatest returns, long
// before the next bookmark. Confirm returns what the server has.
func TestConsistency(t *testing.T) {
	const namespace = "consistency"
	cfg, writer := playground(t, orders, shipments)
	client := newClient(t, cfg)
	informer := cache.New(source.New[*shopv1alpha1.Order](client, orders.gvr(), namespace), cache.Options[*shopv1alpha1.Order]{})
	startInformer(t, informer)
	limited := withPatience(t) // it waits 35 times, and bookmarks come once a minute
	key := types.NamespacedName{Namespace: namespace, Name: "first"}
	for n := range 5 {
		if _, err := shipments.client(writer, namespace).Create(t.Context(), shipments.object(namespace, "other-"+string(rune('a'+n)), n), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := informer.WaitForLatest(limited); err != nil {
			t.Fatal(err)
		}
		t.Logf("a quiet resource: %v", time.Since(began).Round(time.Millisecond))

		created, err := orders.client(writer, namespace).Create(t.Context(), orders.object(namespace, key.Name, n), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			if err := informer.WaitForLatest(limited); err != nil {
				t.Fatal(err)
			}
			if order, exists := informer.Store().Get(key); !exists || order.UID != created.GetUID() {
				t.Errorf("the store has %v, want the one that was created", order)
			}
		} else if order, exists, err := informer.Confirm(limited, key); err != nil || !exists || order.UID != created.GetUID() {
			t.Fatalf("confirmed: %v, %v, %v; want the one that was created", order, exists, err)
		}
		if err := orders.client(writer, namespace).Delete(t.Context(), key.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if order, exists, err := informer.Confirm(limited, key); exists || err != nil {
			t.Errorf("after the deletion: %v, %v", order, err)
		}
	}
	writes, err := controller.NewWrites(informer.Untyped())
	if err != nil {
		t.Fatal(err)
	}
	own := clients.New(client).Shop().V1alpha1().Orders(namespace)
	noting := writes.Context(limited, key)
	for range 20 {
		order := &shopv1alpha1.Order{
			ObjectMeta: metav1.ObjectMeta{Name: key.Name},
			Spec:       shopv1alpha1.OrderSpec{Customer: "somebody", Items: []shopv1alpha1.OrderItem{{SKU: "book", Quantity: 1}}},
		}
		created, err := own.Create(noting, order, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return ready(writes, key) })
		if stored, exists := informer.Store().Get(key); !exists || stored.UID != created.UID {
			t.Errorf("own create: the store has %v", stored)
		}
		if err := own.Delete(noting, key.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return ready(writes, key) })
		if stored, exists := informer.Store().Get(key); exists {
			t.Errorf("own deletion: the store has %v", stored)
		}
	}
}

func ready(writes *controller.Writes, key types.NamespacedName) error {
	if !writes.Ready(key) {
		return errors.New("not ready")
	}
	return nil
}
