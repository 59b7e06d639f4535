package controller_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

var orderKind = v1alpha1.GroupVersion.WithKind("Order")

// shipOrders creates a shipment for each order, and marks the order as shipped when the
// shipment is delivered, until ctx ends.
func shipOrders(ctx context.Context, config *rest.Config) error {
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	shop := clients.New(client).Shop().V1alpha1()
	informerFactory := informers.NewSharedInformerFactory(client, 0)
	defer informerFactory.Shutdown()
	orders := factory.Core(informerFactory.Shop().V1alpha1().Orders().TypedInformer())
	shipments := factory.Core(informerFactory.Shop().V1alpha1().Shipments().TypedInformer())

	reconcile := func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
		order, ok, err := orders.Get(ctx, key)
		if err != nil || !ok {
			return result, err // deleted, and its shipment with it
		}
		shipment, ok, err := shipments.Get(ctx, key)
		if err != nil {
			return result, err
		}
		if !ok {
			shipment = &v1alpha1.Shipment{Spec: v1alpha1.ShipmentSpec{Order: order.Name}}
			shipment.Name = order.Name
			shipment.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(order, orderKind)}
			// An error is logged, and retried with a backoff. The next reconcile sees the shipment.
			_, err = shop.Shipments(order.Namespace).Create(ctx, shipment, metav1.CreateOptions{})
			return result, err
		}
		if !shipment.Status.Delivered || order.Status.Phase == v1alpha1.OrderShipped {
			return result, nil // until something changes
		}
		order = order.DeepCopy() // objects of a store are shared
		order.Status.Phase = v1alpha1.OrderShipped
		_, err = shop.Orders(order.Namespace).UpdateStatus(ctx, order, metav1.UpdateOptions{})
		return result, err
	}
	shipper, err := controller.New("shipper", reconcile, controller.Options{Workers: 4},
		controller.KeysOf(orders),
		controller.OwnersOf(shipments, orderKind.GroupKind()))
	if err != nil {
		return err
	}
	informerFactory.StartWithContext(ctx)
	return shipper.Run(ctx)
}
