package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/clients"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// shop has the orders, and customers who change them.
type shop struct {
	orders  *clients.Client[*shopv1alpha1.Order, *shopv1alpha1.OrderList]
	count   int
	changed atomic.Int64
}

// open creates all orders.
func (s *shop) open(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range s.count {
		group.Go(func() error {
			order := &shopv1alpha1.Order{Spec: shopv1alpha1.OrderSpec{Customer: "customer", Items: []shopv1alpha1.OrderItem{{SKU: "apple", Quantity: 1}}}}
			order.Name = orderName(i)
			_, err := s.orders.Create(ctx, order, metav1.CreateOptions{})
			return err
		})
	}
	return group.Wait()
}

func orderName(i int) string { return fmt.Sprintf("order-%d", i) }

// trade changes orders, some hundred per second, until ctx ends.
func (s *shop) trade(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		patch := fmt.Sprintf(`{"spec":{"items":[{"sku":"apple","quantity":%d}]}}`, 1+rand.IntN(1000))
		if _, err := s.orders.Patch(ctx, orderName(rand.IntN(s.count)), types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil && ctx.Err() == nil {
			return err
		}
		s.changed.Add(1)
	}
}

// unhandled returns the UIDs of all orders, and how many of them have changed since they were
// handled last.
func (s *shop) unhandled(ctx context.Context) (uids []string, count int, err error) {
	list, err := s.orders.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	for _, order := range list.Items {
		uids = append(uids, string(order.UID))
		if order.Status.ObservedGeneration != order.Generation {
			count++
		}
	}
	return uids, count, nil
}
