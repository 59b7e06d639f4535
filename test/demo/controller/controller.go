// Package controller is a small controller, written the way a user of
// informer-gen writes one. It fulfils orders from warehouses:
//
//   - an order that has a shipment is Shipped;
//   - the others of a warehouse are Reserved, oldest first, as long as it has
//     room for their items, and Pending from there on;
//   - a warehouse's status says how many items are reserved in it.
//
// The unit of work is the warehouse. Whatever changes, an order, a shipment or a warehouse, event handlers
// put the name of the warehouse concerned into a rate-limited queue, and reconcile compares what should be
// with what is in the cache. It reads from the API server only through the informers.
package controller

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	shoplisters "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/listers/shop/v1alpha1"
)

// Names of the indexes that the controller adds to the informers.
const (
	byWarehouse = "warehouse" // orders by the warehouse that they come from
	byOrder     = "order"     // shipments by namespace/name of their order
)

// Controller fulfils orders.
type Controller struct {
	factory informers.SharedInformerFactory
	status  *StatusClient

	orders      shoplisters.OrderLister
	warehouses  shoplisters.WarehouseLister
	orderIndex  clientgocache.TypedIndexer[*shopv1alpha1.Order]
	parcelIndex clientgocache.TypedIndexer[*shopv1alpha1.Shipment]

	queue workqueue.TypedRateLimitingInterface[string]
	busy  atomic.Int64 // workers that reconcile
	runs  atomic.Int64 // reconciles so far

	// Counts are the events of the controller's handlers.
	Counts []*Count
}

// New prepares a controller: it asks the factory for the informers that it
// needs and adds its indexes and event handlers to them. The factory is started
// by the caller.
func New(factory informers.SharedInformerFactory, status *StatusClient) (*Controller, error) {
	shop := factory.Shop().V1alpha1()
	orders, shipments, warehouses := shop.Orders().TypedInformer(), shop.Shipments().TypedInformer(), shop.Warehouses().TypedInformer()
	c := &Controller{
		factory:     factory,
		status:      status,
		orders:      shop.Orders().Lister(),
		warehouses:  shop.Warehouses().Lister(),
		orderIndex:  orders.GetTypedIndexer(),
		parcelIndex: shipments.GetTypedIndexer(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "warehouses"},
		),
	}
	if err := orders.AddTypedIndexers(clientgocache.TypedIndexers[*shopv1alpha1.Order]{byWarehouse: warehouseOf}); err != nil {
		return nil, err
	}
	if err := shipments.AddTypedIndexers(clientgocache.TypedIndexers[*shopv1alpha1.Shipment]{byOrder: orderOf}); err != nil {
		return nil, err
	}
	if err := c.handleEvents(orders, shipments, warehouses); err != nil {
		return nil, err
	}
	return c, nil
}

func warehouseOf(order *shopv1alpha1.Order) ([]string, error) {
	return []string{order.Spec.Warehouse}, nil
}

func orderOf(shipment *shopv1alpha1.Shipment) ([]string, error) {
	return []string{orderKey(shipment.Namespace, shipment.Spec.Order)}, nil
}

func orderKey(namespace, name string) string { return namespace + "/" + name }

// Run waits for the informers and then works with so many workers until ctx
// ends. It returns when all of them have.
func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	if err := c.factory.WaitForSyncOrStuck(ctx); err != nil {
		return fmt.Errorf("controller: %w", err)
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for c.work(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	working.Wait()
	return nil
}

// work reconciles the next warehouse, and again later if that fails.
func (c *Controller) work(ctx context.Context) bool {
	warehouse, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	c.busy.Add(1)
	defer c.busy.Add(-1)
	defer c.queue.Done(warehouse)
	c.runs.Add(1)
	if err := c.reconcile(ctx, warehouse); err != nil {
		c.queue.AddRateLimited(warehouse)
		return true
	}
	c.queue.Forget(warehouse)
	return true
}

// Idle reports whether there is nothing to do at the moment.
func (c *Controller) Idle() bool { return c.queue.Len() == 0 && c.busy.Load() == 0 }

// Reconciles returns how often a warehouse has been reconciled.
func (c *Controller) Reconciles() int64 { return c.runs.Load() }
