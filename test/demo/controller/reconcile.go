package controller

import (
	"cmp"
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// reconcile writes the statuses of the orders of a warehouse, and the warehouse's own, where they are
// wrong. The cache may be a little old. Then a write is refused, or was not needed, and the event that is
// on its way brings the warehouse back into the queue.
func (c *Controller) reconcile(ctx context.Context, name string) error {
	warehouse, err := c.warehouses.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	orders, err := c.orderIndex.ByTypedIndex(byWarehouse, name)
	if err != nil {
		return err
	}
	phases, reserved, err := c.plan(warehouse, orders)
	if err != nil {
		return err
	}
	var errs []error
	for _, order := range orders {
		if phase := phases[order]; order.Status.Phase != phase || order.Status.ObservedGeneration != order.Generation {
			status := shopv1alpha1.OrderStatus{Phase: phase, ObservedGeneration: order.Generation}
			errs = append(errs, c.status.UpdateOrder(ctx, order, status))
		}
	}
	if warehouse.Status.Reserved != reserved {
		errs = append(errs, c.status.UpdateWarehouse(ctx, warehouse, shopv1alpha1.WarehouseStatus{Reserved: reserved}))
	}
	return errors.Join(errs...)
}

// plan says which phase each order should have, and how many items are
// reserved then.
func (c *Controller) plan(warehouse *shopv1alpha1.Warehouse, orders []*shopv1alpha1.Order) (map[*shopv1alpha1.Order]shopv1alpha1.OrderPhase, int64, error) {
	// The slice is the caller's, the orders in it are shared.
	slices.SortFunc(orders, func(a, b *shopv1alpha1.Order) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	phases := make(map[*shopv1alpha1.Order]shopv1alpha1.OrderPhase, len(orders))
	var reserved int64
	full := false
	for _, order := range orders {
		parcels, err := c.parcelIndex.IndexKeys(byOrder, orderKey(order.Namespace, order.Name))
		if err != nil {
			return nil, 0, err
		}
		items := quantity(order)
		full = full || len(parcels) == 0 && reserved+items > warehouse.Spec.Capacity
		switch {
		case len(parcels) > 0:
			phases[order] = shopv1alpha1.OrderShipped
		case full:
			phases[order] = shopv1alpha1.OrderPending
		default:
			phases[order] = shopv1alpha1.OrderReserved
			reserved += items
		}
	}
	return phases, reserved, nil
}

// Settled reports whether every order and every warehouse in the cache has the
// status that it should have.
func (c *Controller) Settled(warehouses []*shopv1alpha1.Warehouse) bool {
	for _, warehouse := range warehouses {
		orders, err := c.orderIndex.ByTypedIndex(byWarehouse, warehouse.Name)
		if err != nil {
			return false
		}
		phases, reserved, err := c.plan(warehouse, orders)
		if err != nil || warehouse.Status.Reserved != reserved {
			return false
		}
		for order, phase := range phases {
			if order.Status.Phase != phase || order.Status.ObservedGeneration != order.Generation {
				return false
			}
		}
	}
	return true
}

func quantity(order *shopv1alpha1.Order) int64 {
	var n int64
	for _, item := range order.Spec.Items {
		n += int64(item.Quantity)
	}
	return n
}
