package factory_test

import (
	"context"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/shard"
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
	toolscache.WaitForCacheSync(ctx.Done(), handled.HasSynced)

	list, err := orders.Lister().Orders("default").List(labels.Everything())
	fmt.Println("listed:", len(list), err)
	_, err = orders.Lister().Orders("default").Get("missing")
	fmt.Println(err)
	// Output:
	// added: first of Ada
	// listed: 1 <nil>
	// order.shop.example.com "missing" not found
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

// Two informers of one type: all orders, and those that wait, in the namespaces of a set that
// changes while they run.
func ExampleForType() {
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	teams := source.NewNamespaces("default")
	waiting := labels.SelectorFromSet(labels.Set{"state": "waiting"})
	f := informers.NewSharedInformerFactoryWithOptions(client, 0,
		factory.ForType(factory.TypeOptions[*shopv1alpha1.Order]{Resync: time.Hour}),
		factory.ForType(factory.TypeOptions[*shopv1alpha1.Order]{
			Name:          "waiting",
			Namespaces:    teams,
			LabelSelector: waiting,
		}),
	)
	defer f.Shutdown()
	all := f.Shop().V1alpha1().Orders()
	some := f.Named("waiting").Shop().V1alpha1().Orders()
	fmt.Println(all.Informer() == some.Informer())

	f.StartWithContext(ctx)
	if err := f.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	for _, status := range f.Status() {
		fmt.Println(status.Name, "has", status.Objects)
	}
	teams.Set("default", "blue") // lists and watches orders of "blue" too
	// Output:
	// false
	// orders.v1alpha1.shop.example.com has 1
	// orders.v1alpha1.shop.example.com/waiting has 0
}

// A factory whose informers have half of the objects, until that changes.
func ExampleWithWrapSource() {
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()

	first, err := shard.Of(0, 2) // half of all objects
	if err != nil {
		log.Fatal(err)
	}
	mine := shard.New(shard.UID, first)
	f := informers.NewSharedInformerFactoryWithOptions(client, 0, factory.WithWrapSource(mine.Objects))
	defer f.Shutdown()
	orders := f.Shop().V1alpha1().Orders()
	added := make(chan string, 1)
	_, err = orders.Informer().AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { added <- obj.(*shopv1alpha1.Order).Name },
	})
	if err != nil {
		log.Fatal(err)
	}

	f.StartWithContext(ctx)
	if err := f.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	half := len(added)
	mine.Set(shard.All())
	fmt.Println(half, "order in the first half, and then", <-added)
	// Output: 0 order in the first half, and then first
}

// The namespaces of a set are those that have a label.
func ExampleForType_followNamespaces() {
	server := cachetest.NewServer()
	red := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "red", Labels: map[string]string{"shop": "yes"}}}
	blue := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "blue"}}
	cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource("namespaces"), red, blue)
	client, err := source.NewClient(&rest.Config{Host: "http://in-memory", Transport: server})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())

	shops := source.NewNamespaces()
	namespaces := cache.New(
		source.New[*metav1.PartialObjectMetadata](client, corev1.SchemeGroupVersion.WithResource("namespaces"), ""),
		cache.Options[*metav1.PartialObjectMetadata]{},
	)
	followed, err := source.Follow(shops, namespaces, labels.SelectorFromSet(labels.Set{"shop": "yes"}))
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = namespaces.Run(ctx) }()
	<-followed.Synced() // then shops is for factory.TypeOptions.Namespaces

	fmt.Println(shops.Names())
	stop()
	<-namespaces.Stopped()
	// Output: [red]
}

// inMemory is the config of an API server in memory that holds one order.
func inMemory() *rest.Config {
	order := &shopv1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"},
		Spec:       shopv1alpha1.OrderSpec{Customer: "Ada"},
	}
	server := cachetest.NewServer()
	cachetest.Serve(server, shopv1alpha1.GroupVersion.WithResource("orders"), "Order", cachetest.NewAPI(order))
	return &rest.Config{Host: "http://in-memory", Transport: server}
}
