package main

import (
	"context"
	"fmt"
	"slices"

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

// run reserves orders until ctx ends.
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
	orders, err := controller.New("reserver", r.reconcile, controller.Options{Workers: 4}, controller.KeysOf(r.orders))
	if err != nil {
		return err
	}
	informerFactory.StartWithContext(ctx)
	return orders.Run(ctx)
}

// reconcile does the next of these: it adds the finalizer, reserves and writes the status;
// or, for an order that is being deleted, it releases and removes the finalizer.
func (r *reserver) reconcile(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
	stored, ok := r.orders.Store().Get(key)
	if !ok {
		return result, nil
	}
	order := stored.DeepCopy() // objects of a store are shared
	orders := r.client.Shop().V1().Orders(key.Namespace)
	held := slices.Contains(order.Finalizers, finalizer)
	switch {
	case order.DeletionTimestamp != nil && held:
		if err := r.warehouses.Release(ctx, order.Spec.Warehouse, key); err != nil {
			return result, fmt.Errorf("release items: %w", err) // is logged, and retried with a backoff
		}
		order.Finalizers = slices.DeleteFunc(order.Finalizers, func(name string) bool { return name == finalizer })
		_, err = orders.Update(ctx, order, metav1.UpdateOptions{})
		return result, err
	case order.DeletionTimestamp != nil:
		return result, nil
	case !held: // before anything that would have to be undone
		order.Finalizers = append(order.Finalizers, finalizer)
		_, err = orders.Update(ctx, order, metav1.UpdateOptions{})
		return result, err // the update leads to the next reconcile
	case order.Status.Phase == shopv1.OrderReserved:
		return result, nil
	}
	if err := r.warehouses.Reserve(ctx, order.Spec.Warehouse, key); err != nil {
		return result, fmt.Errorf("reserve items: %w", err)
	}
	order.Status.Phase = shopv1.OrderReserved
	written, err := orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	if err != nil {
		return result, err
	}
	result.Wrote(r.orders, written) // the next reconcile of this order sees it
	return result, nil
}
