package sourcetest_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/runtime/source/sourcetest"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/clients"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// A generated factory and generated clients over one connection to a server in memory.
// A test calls NewClient(t, server) instead of source.NewClient.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server := cachetest.NewServer()
	first := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	cachetest.ServeObjects(server, v1alpha1.GroupVersion.WithResource("orders"), first)
	client, err := source.NewClient(sourcetest.Config(server))
	if err != nil {
		log.Fatal(err)
	}

	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	lister := factory.Shop().V1alpha1().Orders().Lister().Orders("default")
	factory.StartWithContext(ctx)
	if err := factory.WaitForSyncOrStuck(ctx); err != nil {
		log.Fatal(err)
	}
	stored, err := lister.Get("first")
	if err != nil {
		log.Fatal(err)
	}

	orders := clients.New(client).Shop().V1alpha1().Orders("default")
	order := stored.DeepCopy()
	order.Status.Phase = v1alpha1.OrderReserved
	updated, err := orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(updated.Name, "is", updated.Status.Phase)
	_, err = orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	fmt.Println(err)
	// Output:
	// first is Reserved
	// Operation cannot be fulfilled on orders.shop.example.com "first": the object has been modified; please apply your changes to the latest version and try again
}
