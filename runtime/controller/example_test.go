package controller_test

import (
	"context"
	"fmt"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// Each order gets a shipment, which it owns. The API is one in memory; docs/controllers.md
// has the same controller on a generated factory, with generated clients.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	orderAPI, shipmentAPI := cachetest.NewAPI(newOrder("first")), cachetest.NewAPI[*v1alpha1.Shipment]()
	orders := cache.New(orderAPI.Source(), cache.Options[*v1alpha1.Order]{})
	shipments := cache.New(shipmentAPI.Source(), cache.Options[*v1alpha1.Shipment]{})

	reconcile := func(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
		order, ok, err := orders.Get(ctx, key)
		if err != nil || !ok {
			return result, err // the garbage collector deletes its shipment
		}
		shipment, ok, err := shipments.Get(ctx, key)
		if err != nil {
			return result, err
		}
		if ok {
			fmt.Println(key, "is sent by", shipment.Spec.Carrier)
			stop()
			return result, nil
		}
		created, err := shipmentAPI.Create(newShipment(order))
		if err != nil {
			return result, err // which is logged, and retried with a backoff
		}
		fmt.Println(key, "gets a shipment")
		result.Wrote(shipments, created)
		return result, nil
	}
	shipper, err := controller.New("shipper", reconcile, controller.Options{Workers: 4},
		controller.KeysOf(orders),
		controller.OwnersOf(shipments, v1alpha1.GroupVersion.WithKind("Order").GroupKind()),
	)
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = orders.Run(ctx) }()
	go func() { _ = shipments.Run(ctx) }()
	fmt.Println(shipper.Run(ctx))
	// Output:
	// default/first gets a shipment
	// default/first is sent by somebody
	// <nil>
}

// Updates of the spec and of labels lead to a reconcile, and those of the status do not.
func ExampleKeysOf() {
	orders := cache.New(cachetest.NewAPI[*v1alpha1.Order]().Source(), cache.Options[*v1alpha1.Order]{Name: "orders"})
	specs := controller.KeysOf(orders, controller.GenerationChanged, controller.LabelsChanged)
	fmt.Println(specs)
	// Output: objects of informer "orders"
}

// A controller with a work queue of its own puts a key off until its writes are in the stores.
func ExampleWrites() {
	orders := cache.New(cachetest.NewAPI[*v1alpha1.Order]().Source(), cache.Options[*v1alpha1.Order]{Name: "orders"})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]())
	reconcile := func(context.Context, types.NamespacedName) error { return nil }
	writes, err := controller.NewWrites(orders.Untyped())
	if err != nil {
		log.Fatal(err)
	}
	process := func(ctx context.Context, key types.NamespacedName) error {
		if !writes.Ready(key) {
			queue.AddAfter(key, 100*time.Millisecond)
			return nil
		}
		return reconcile(writes.Context(ctx, key), key)
	}
	fmt.Println(process(context.Background(), types.NamespacedName{Name: "first"}))
	// Output: <nil>
}

func newOrder(name string) *v1alpha1.Order {
	return &v1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1alpha1.OrderSpec{Customer: "somebody", Items: []v1alpha1.OrderItem{{SKU: "book", Quantity: 1}}},
	}
}

// newShipment returns the shipment that an order owns, of the same name.
func newShipment(order *v1alpha1.Order) *v1alpha1.Shipment {
	return &v1alpha1.Shipment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       order.Namespace,
			Name:            order.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(order, v1alpha1.GroupVersion.WithKind("Order"))},
		},
		Spec: v1alpha1.ShipmentSpec{Order: order.Name, Carrier: "somebody"},
	}
}
