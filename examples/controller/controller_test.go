package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/clients"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// recorded are warehouses that fail the first time they are asked to release.
type recorded struct{ calls []string }

func (r *recorded) Reserve(_ context.Context, warehouse string, order types.NamespacedName) error {
	r.calls = append(r.calls, "reserve "+warehouse+" "+order.Name)
	return nil
}

func (r *recorded) Release(_ context.Context, warehouse string, order types.NamespacedName) error {
	r.calls = append(r.calls, "release "+warehouse+" "+order.Name)
	if len(r.calls) == 2 {
		return errors.New("warehouse is closed")
	}
	return nil
}

// An order is reserved, says so, and is deleted only when its items are released.
func TestReserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // an hour takes no time in it
		server := cachetest.NewServer()
		cachetest.ServeObjects(server, shopv1.GroupVersion.WithResource("orders"), &shopv1.Order{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"},
			Spec:       shopv1.OrderSpec{Warehouse: "north"},
		})
		cachetest.ServeObjects[*coordinationv1.Lease](server, coordinationv1.SchemeGroupVersion.WithResource("leases"))
		config := &rest.Config{Transport: server, QPS: -1}
		client, err := source.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		orders := clients.New(client).Shop().V1().Orders("default")
		ctx, stop := context.WithCancel(t.Context())
		warehouses, ended := &recorded{}, make(chan error)
		go func() { ended <- run(ctx, config, warehouses) }()

		time.Sleep(time.Hour)
		order, err := orders.Get(ctx, "first", metav1.GetOptions{})
		if err != nil || order.Status.Phase != shopv1.OrderReserved {
			t.Errorf("order is %q, want it reserved: %v", order.Status.Phase, err)
		}
		if err := orders.Delete(ctx, "first", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if _, err := orders.Get(ctx, "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("after the deletion: got %v, want that it is not found", err)
		}

		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		want := []string{"reserve north first", "release north first", "release north first"}
		if diff := cmp.Diff(want, warehouses.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}
