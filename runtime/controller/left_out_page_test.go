package controller_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// mayDelete returns an error if an order that no list has may refer to what is about to be deleted.
func mayDelete(orders *cache.Informer[*v1alpha1.Order]) error {
	if left := orders.Status().LeftOut; left > 0 {
		return fmt.Errorf("%d orders left out may need it", left)
	}
	return nil
}

// The list of an informer that has left something out proves nothing, and one that has not does.
func TestMayDelete(t *testing.T) {
	for _, refusal := range []error{nil, errors.New("no good")} {
		synctest.Test(t, func(t *testing.T) {
			orders := cache.New(cachetest.NewAPI(newOrder("first")).Source(), cache.Options[*v1alpha1.Order]{
				Transform: func(order *v1alpha1.Order) (*v1alpha1.Order, error) { return order, refusal },
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer synctest.Wait()
			defer cancel()
			go func() { _ = orders.Run(ctx) }()
			synctest.Wait()
			if err := mayDelete(orders); (err == nil) != (refusal == nil) {
				t.Errorf("an order that is left out because of %v: %v", refusal, err)
			}
		})
	}
}
