package controller

import (
	"sync/atomic"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
)

// handleEvents puts the warehouse that an event is about into the queue.
func (c *Controller) handleEvents(orders shopinformers.OrderIndexInformer, shipments shopinformers.ShipmentIndexInformer, warehouses shopinformers.WarehouseIndexInformer) error {
	if _, err := orders.AddTypedEventHandler(Counting(c.count("controller", "orders"), shopinformers.OrderHandlerFuncs{
		AddFunc: func(order *shopv1alpha1.Order) { c.queue.Add(order.Spec.Warehouse) },
		UpdateFunc: func(old, order *shopv1alpha1.Order) {
			if order.Generation == old.Generation && order.Status.Phase == old.Status.Phase {
				return
			}
			c.queue.Add(order.Spec.Warehouse)
			c.queue.Add(old.Spec.Warehouse)
		},
		DeleteFunc: func(deleted shopinformers.DeletedOrder) {
			c.queue.Add(deleted.OptionalObj.Spec.Warehouse)
		},
	})); err != nil {
		return err
	}
	if _, err := shipments.AddTypedEventHandler(Counting(c.count("controller", "shipments"), shopinformers.ShipmentHandlerFuncs{
		AddFunc: c.enqueueShipment,
		DeleteFunc: func(deleted shopinformers.DeletedShipment) {
			c.enqueueShipment(deleted.OptionalObj)
		},
	})); err != nil {
		return err
	}
	_, err := warehouses.AddTypedEventHandler(Counting(c.count("controller", "warehouses"), shopinformers.WarehouseHandlerFuncs{
		AddFunc:    func(warehouse *shopv1alpha1.Warehouse) { c.queue.Add(warehouse.Name) },
		UpdateFunc: func(_, warehouse *shopv1alpha1.Warehouse) { c.queue.Add(warehouse.Name) },
	}))
	return err
}

// enqueueShipment finds the warehouse of a shipment through its order. If the
// order is not there yet, its own event will do.
func (c *Controller) enqueueShipment(shipment *shopv1alpha1.Shipment) {
	order, err := c.orders.Orders(shipment.Namespace).Get(shipment.Spec.Order)
	if err == nil {
		c.queue.Add(order.Spec.Warehouse)
	}
}

func (c *Controller) count(handler, resource string) *Count {
	count := &Count{Handler: handler, Resource: resource}
	c.Counts = append(c.Counts, count)
	return count
}

// Count counts the events that a handler is given.
type Count struct {
	// Handler and Resource say which handler it is.
	Handler, Resource string
	// Initial counts the adds that replayed the cache to the handler, and Adds the other adds.
	Initial, Adds, Updates, Deletes atomic.Int64
}

// Sum returns the number of objects by the handler's calls.
func (c *Count) Sum() int64 { return c.Initial.Load() + c.Adds.Load() - c.Deletes.Load() }

// Counting is a handler that counts and calls another.
func Counting[T clientgocache.Object](count *Count, next clientgocache.TypedResourceEventHandler[T]) clientgocache.TypedResourceEventHandler[T] {
	return counting[T]{count, next}
}

type counting[T clientgocache.Object] struct {
	count *Count
	next  clientgocache.TypedResourceEventHandler[T]
}

func (c counting[T]) OnAdd(obj T, initial bool) {
	if initial {
		c.count.Initial.Add(1)
	} else {
		c.count.Adds.Add(1)
	}
	c.next.OnAdd(obj, initial)
}

func (c counting[T]) OnUpdate(old, obj T) {
	c.count.Updates.Add(1)
	c.next.OnUpdate(old, obj)
}

func (c counting[T]) OnDelete(obj clientgocache.DeletedObject[T]) {
	c.count.Deletes.Add(1)
	c.next.OnDelete(obj)
}
