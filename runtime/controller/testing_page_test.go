package controller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
)

func TestShipOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cachetest.NewServer()
		first := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
		orders := cachetest.ServeObjects(server, v1alpha1.GroupVersion.WithResource("orders"), first)
		cachetest.ServeObjects[*v1alpha1.Shipment](server, v1alpha1.GroupVersion.WithResource("shipments"))
		orders.Fail(cachetest.Fault{Err: cachetest.Status(503)}) // the first request, which is repeated
		config := &rest.Config{Transport: server, QPS: -1}
		client, err := source.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		shop := clients.New(client).Shop().V1alpha1()

		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- shipOrders(ctx, config) }()

		time.Sleep(time.Minute) // of the bubble: the controller is idle then, at once
		shipment, err := shop.Shipments("default").Get(ctx, "first", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		shipment.Status.Delivered = true
		if _, err := shop.Shipments("default").UpdateStatus(ctx, shipment, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		order, err := shop.Orders("default").Get(ctx, "first", metav1.GetOptions{})
		if err != nil || order.Status.Phase != v1alpha1.OrderShipped {
			t.Errorf("order is %q, want it shipped: %v", order.Status.Phase, err)
		}

		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
