package controller_test

import (
	"context"
	"fmt"
	"log"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// A handler is not called for the status that it has written.
func ExampleFilterUpdates() {
	ctx, stop := context.WithCancel(context.Background())
	api := cachetest.NewAPI(newOrder("first"))
	orders := cache.New(api.Source(), cache.Options[*v1alpha1.Order]{})
	reserve := cache.HandlerFuncs[*v1alpha1.Order]{
		Add: func(order *v1alpha1.Order, _ bool) {
			fmt.Println(order.Name, "is new")
			update(api, func(order *v1alpha1.Order) { order.Status.Phase = v1alpha1.OrderReserved })
			update(api, func(order *v1alpha1.Order) { order.Spec.Items[0].Quantity = 7 })
		},
		Update: func(_, order *v1alpha1.Order) {
			fmt.Println(order.Name, "has", order.Spec.Items[0].Quantity, "books")
			stop()
		},
	}
	handler := controller.FilterUpdates(reserve, controller.GenerationChanged, controller.LabelsChanged)
	if _, err := orders.AddHandler(handler, cache.HandlerOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orders.Run(ctx))
	// Output:
	// first is new
	// first has 7 books
	// <nil>
}

// Only the items of an order matter.
func ExampleFieldChanged() {
	itemsChanged := controller.FieldChanged(func(order *v1alpha1.Order) []v1alpha1.OrderItem { return order.Spec.Items })
	old, order := newOrder("first"), newOrder("first")
	order.Spec.Warehouse = "north"
	fmt.Println(itemsChanged(old, order))
	order.Spec.Items[0].Quantity = 7
	fmt.Println(itemsChanged(old, order))
	// Output:
	// false
	// true
}

// update changes the order of an API.
func update(api *cachetest.API[*v1alpha1.Order], change func(*v1alpha1.Order)) {
	order := api.Objects()[0]
	change(order)
	if _, err := api.Update(order); err != nil {
		log.Fatal(err)
	}
}
