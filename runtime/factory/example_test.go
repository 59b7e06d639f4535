package factory_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	informers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	orderinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
)

// A generated factory at work, here over an API server in memory. With a real
// one, only the config is another.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	f := informers.NewSharedInformerFactory(client, 0)
	defer f.Shutdown() // waits for every goroutine
	defer stop()

	orders := f.Shop().V1alpha1().Orders()
	handled, err := orders.TypedInformer().AddTypedEventHandler(orderinformers.OrderHandlerFuncs{
		AddFunc: func(order *shopv1alpha1.Order) { fmt.Println("added:", order.Name, "of", order.Spec.Customer) },
	})
	if err != nil {
		log.Fatal(err)
	}
	f.StartWithContext(ctx)
	if err := f.WaitForSyncOrStuck(ctx); err != nil {
		log.Fatal(err) // which informer is not in sync, what it is doing, and what went wrong
	}
	<-handled.HasSyncedChecker().Done()

	list, err := orders.Lister().Orders("default").List(labels.Everything())
	fmt.Println("listed:", len(list), err)
	_, err = orders.Lister().Orders("default").Get("missing")
	fmt.Println(err)
	// Output:
	// added: first of Ada
	// listed: 1 <nil>
	// orders.shop.example.com "missing" not found
}

// Below a generated informer is one of runtime/cache, which can do more than the
// interfaces of client-go.
func ExampleCore() {
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	f := informers.NewSharedInformerFactory(client, 0)
	defer f.Shutdown()

	orders := factory.Core(f.Shop().V1alpha1().Orders().TypedInformer())
	handled, err := orders.AddHandler(cache.InBatches(func(events []cache.Event[*shopv1alpha1.Order]) {
		fmt.Println("a batch of", len(events))
	}), cache.HandlerOptions{Limit: 10_000})
	if err != nil {
		log.Fatal(err)
	}
	f.StartWithContext(ctx)
	<-handled.Synced()
	for order := range orders.Store().All() {
		fmt.Println(order.Spec.Customer)
	}
	fmt.Println(orders.Status().Phase)
	// Output:
	// a batch of 1
	// Ada
	// watching
}

// inMemory is the config of an API server in memory that holds one order.
func inMemory() *rest.Config {
	order := &shopv1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"},
		Spec:       shopv1alpha1.OrderSpec{Customer: "Ada"},
	}
	server := cachetest.NewServer()
	cachetest.Serve(server, shopv1alpha1.GroupVersion.WithResource("orders"), "Order", cachetest.NewAPI(order))
	return &rest.Config{Host: "http://in-memory", Transport: server.RoundTripper()}
}
