package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// The size of the shop.
const (
	warehouseCount   = 6
	customerCount    = 4
	ordersBefore     = 500 // that are there when the controller starts
	ordersMeanwhile  = 700 // that customers create while it runs
	workingDay       = 6 * time.Second
	warehouseItems   = 300
	itemsPerOrderMax = 5
)

// customers create, change and delete orders and warehouses, and send
// shipments. They are other programs, in principle: they use the API only.
type customers struct {
	client                    dynamic.Interface
	created, updated, deleted atomic.Int64
}

// openWarehouses creates all warehouses.
func (c *customers) openWarehouses(ctx context.Context) error {
	for i := range warehouseCount {
		if err := c.create(ctx, &shopv1alpha1.Warehouse{
			ObjectMeta: metav1.ObjectMeta{Name: warehouse(i)},
			Spec:       shopv1alpha1.WarehouseSpec{Location: "north", Capacity: warehouseItems},
		}); err != nil {
			return err
		}
	}
	return nil
}

func warehouse(i int) string { return fmt.Sprintf("warehouse-%d", i%warehouseCount) }

// order makes so many orders as quickly as it can.
func (c *customers) order(ctx context.Context, count int) error {
	return each(ctx, func(ctx context.Context, customer int) error {
		random := rand.New(rand.NewPCG(1, uint64(customer)))
		for i := range count / customerCount {
			if err := c.create(ctx, newOrder(customer, fmt.Sprintf("early-%d", i), random)); err != nil {
				return err
			}
		}
		return nil
	})
}

// live spends a working day: every customer creates its share of orders, and
// between them changes some, deletes some, and receives some. One of them also
// enlarges a warehouse every now and then.
func (c *customers) live(ctx context.Context) error {
	return each(ctx, func(ctx context.Context, customer int) error {
		random := rand.New(rand.NewPCG(2, uint64(customer)))
		share := ordersMeanwhile / customerCount
		tick := time.NewTicker(workingDay / time.Duration(share))
		defer tick.Stop()
		var mine []*shopv1alpha1.Order
		for i := range share {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			order := newOrder(customer, fmt.Sprintf("order-%d", i), random)
			if err := c.create(ctx, order); err != nil {
				return err
			}
			mine = append(mine, order)
			if err := c.dayToDay(ctx, &mine, random); err != nil {
				return err
			}
			if customer == 0 && i%50 == 25 {
				if err := c.enlarge(ctx, warehouse(i/50)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// dayToDay does something with one of the orders, or nothing.
func (c *customers) dayToDay(ctx context.Context, mine *[]*shopv1alpha1.Order, random *rand.Rand) error {
	n := random.IntN(len(*mine))
	order := (*mine)[n]
	forget := func() { *mine = append((*mine)[:n], (*mine)[n+1:]...) }
	switch random.IntN(10) {
	case 0, 1, 2: // another quantity, or another warehouse
		order.Spec.Warehouse = warehouse(random.IntN(warehouseCount))
		order.Spec.Items[0].Quantity = 1 + random.Int32N(itemsPerOrderMax)
		return c.update(ctx, order)
	case 3, 4:
		forget()
		return c.delete(ctx, order)
	case 5:
		forget()
		return c.create(ctx, &shopv1alpha1.Shipment{
			ObjectMeta: metav1.ObjectMeta{Namespace: order.Namespace, Name: order.Name},
			Spec:       shopv1alpha1.ShipmentSpec{Order: order.Name, Carrier: "bicycle"},
		})
	default:
		return nil
	}
}

func newOrder(customer int, name string, random *rand.Rand) *shopv1alpha1.Order {
	return &shopv1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("customer-%d", customer), Name: name},
		Spec: shopv1alpha1.OrderSpec{
			Customer:  fmt.Sprintf("customer %d", customer),
			Warehouse: warehouse(random.IntN(warehouseCount)),
			Items:     []shopv1alpha1.OrderItem{{SKU: "book", Quantity: 1 + random.Int32N(itemsPerOrderMax)}},
		},
	}
}

// each runs one function for every customer, all at the same time, and returns
// the first error.
func each(ctx context.Context, do func(ctx context.Context, customer int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for customer := range customerCount {
		wg.Go(func() {
			if err := do(ctx, customer); err != nil {
				cancel(fmt.Errorf("customer %d: %w", customer, err))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
