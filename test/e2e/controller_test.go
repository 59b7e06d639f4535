package e2e

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// A controller creates a shipment with a generated name for each order, and no second one,
// since it reads its own writes; then it writes the order's status.
func TestController(t *testing.T) {
	const namespace, count = "controller", 20
	cfg, writer := playground(t, orders, shipments)
	client := newClient(t, cfg)
	informerFactory := informers.NewSharedInformerFactory(client, 0)
	defer informerFactory.Shutdown()
	shop := clients.New(client).Shop().V1alpha1()
	byOrder := cache.Index[*shopv1alpha1.Shipment]{Name: "order", Value: func(shipment *shopv1alpha1.Shipment) string { return shipment.Spec.Order }}
	orderInformer := factory.Core(informerFactory.Shop().V1alpha1().Orders().TypedInformer())
	shipmentInformer := factory.Core(informerFactory.Shop().V1alpha1().Shipments().TypedInformer())
	if err := shipmentInformer.AddIndexes(byOrder); err != nil {
		t.Fatal(err)
	}

	reconcile := func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
		order, ok := orderInformer.Store().Get(key)
		if !ok {
			return result, nil
		}
		parcels, err := byOrder.Find(shipmentInformer.Store(), order.Name)
		if err != nil {
			return result, err
		}
		if len(parcels) == 0 {
			shipment := &shopv1alpha1.Shipment{Spec: shopv1alpha1.ShipmentSpec{Order: order.Name}}
			shipment.GenerateName = order.Name + "-"
			shipment.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(order, orders.GroupVersionKind)}
			_, err := shop.Shipments(namespace).Create(ctx, shipment, metav1.CreateOptions{})
			return result, err
		}
		if order.Status.Phase == shopv1alpha1.OrderReserved {
			return result, nil
		}
		order = order.DeepCopy()
		order.Status.Phase = shopv1alpha1.OrderReserved
		_, err = shop.Orders(namespace).UpdateStatus(ctx, order, metav1.UpdateOptions{})
		return result, err
	}
	c, err := controller.New("e2e", reconcile, controller.Options{Workers: 4, Fence: true},
		controller.KeysOf(orderInformer), controller.OwnersOf(shipmentInformer, orders.GroupKind()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	informerFactory.StartWithContext(ctx)
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()

	for n := range count {
		name := "order-" + strconv.Itoa(n)
		if _, err := orders.client(writer, namespace).Create(ctx, orders.object(namespace, name, n), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.Enqueue(types.NamespacedName{Namespace: namespace, Name: name}) // more often than needed
	}
	eventually(t, func() error {
		reserved := 0
		for order := range orderInformer.Store().Namespace(namespace) {
			if order.Status.Phase == shopv1alpha1.OrderReserved {
				reserved++
			}
		}
		if reserved != count {
			return fmt.Errorf("%d of %d orders are reserved; %+v", reserved, count, c.Status())
		}
		return nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	created, err := shop.Shipments(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(created.Items) != count {
		t.Errorf("%d shipments of %d orders", len(created.Items), count)
	}
	if s := c.Status(); s.Failed != 0 {
		t.Errorf("reconciles failed: %+v", s)
	}
}
