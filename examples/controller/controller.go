package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	shopv1 "github.com/informer-gen/informer-gen/examples/api/v1"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/clients"
	"github.com/informer-gen/informer-gen/examples/pkg/generated/informers"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// finalizer keeps an order until its items are released.
const finalizer = "shop.example.com/reservation"

// warehouses are outside of the cluster, and the controller works on them. Both methods may be
// called again for what is done already.
type warehouses interface {
	Reserve(ctx context.Context, warehouse string, order types.NamespacedName) error
	Release(ctx context.Context, warehouse string, order types.NamespacedName) error
}

// reserver reserves the items of orders, and releases them when orders are deleted.
type reserver struct {
	orders     *cache.Informer[*shopv1.Order]
	client     clients.Interface
	warehouses warehouses
}

// run reserves orders until ctx ends, while this process is the leader.
func run(ctx context.Context, config *rest.Config, warehouses warehouses) error {
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	informerFactory := informers.NewSharedInformerFactory(client, 0)
	defer informerFactory.Shutdown()
	r := &reserver{
		orders:     factory.Core(informerFactory.Shop().V1().Orders().TypedInformer()),
		client:     clients.New(client),
		warehouses: warehouses,
	}
	// A new leader does not begin before it has what the former one has written.
	orders, err := controller.New("reserver", r.reconcile, controller.Options{Workers: 4, Fence: true}, controller.KeysOf(r.orders))
	if err != nil {
		return err
	}
	informerFactory.StartWithContext(ctx) // also while another process leads
	return lead(ctx, config, "reserver", orders.Run)
}

// reconcile adds the finalizer, reserves and writes the status; or, for an order that is being
// deleted, it releases and removes the finalizer.
func (r *reserver) reconcile(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
	order, ok, err := r.orders.Get(ctx, key)
	if err != nil || !ok {
		return result, err // an order that is left out is not deleted
	}
	orders := r.client.Shop().V1().Orders(key.Namespace)
	order, alive, err := controller.Finalize(ctx, orders, order, finalizer, func(ctx context.Context) error {
		return r.warehouses.Release(ctx, order.Spec.Warehouse, key)
	})
	if err != nil || !alive || order.Status.Phase == shopv1.OrderReserved {
		return result, err // an error is logged, and retried with a backoff
	}
	if err := r.warehouses.Reserve(ctx, order.Spec.Warehouse, key); err != nil {
		return result, fmt.Errorf("reserve items: %w", err)
	}
	order = order.DeepCopy() // objects of a store are shared
	order.Status.Phase = shopv1.OrderReserved
	// The next reconcile of this order sees what the client has written.
	_, err = orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	return result, err
}
