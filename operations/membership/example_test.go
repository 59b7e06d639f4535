package membership_test

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// leases is the client of Leases without a clientset. With one, it is
// clientset.CoordinationV1().Leases(namespace).
var leases = clients.NewResource[*coordinationv1.Lease, *coordinationv1.LeaseList](coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases")

// A replica that is alone owns everything, until it leaves.
func Example() {
	client, err := source.NewClient(apiServer())
	if err != nil {
		panic(err)
	}
	member, err := membership.New(leases.Client(client, "shop"), membership.Options{
		Group:         "orders",
		Identity:      "orders-0",
		LeaseDuration: 4 * time.Second, // for a fast example
	})
	if err != nil {
		panic(err)
	}
	gained := make(chan shard.Ranges, 100)
	member.OnGain(func(ranges shard.Ranges) { gained <- ranges })

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- member.Run(ctx) }()
	for member.Status().Owned.Count < membership.Slots {
		<-gained
	}
	fmt.Println("owns", member.Status().Owned.Ranges)

	order := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "7f6bd1b9-6b1a-4d4c-8f0f-7d9f0c5a1b2e"}}
	if work, end, ok := member.Begin(ctx, order); ok {
		fmt.Println("works on the order:", work.Err() == nil)
		end()
	}

	cancel()
	fmt.Println("ended:", <-ended)
	fmt.Println("owns the order:", member.Owns(order))
	// Output:
	// owns 0000000000000000-ffffffffffffffff
	// works on the order: true
	// ended: <nil>
	// owns the order: false
}

// A controller of this module, whose informer follows the shard of its replica.
func ExampleOnly() {
	client, err := source.NewClient(apiServer())
	if err != nil {
		panic(err)
	}
	orders := cachetest.NewAPI(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first", UID: "1"}})
	ctx, cancel := context.WithCancel(context.Background())
	reconcile := func(_ context.Context, key types.NamespacedName) (controller.Result, error) {
		fmt.Println("reconciled", key)
		cancel()
		return controller.Result{}, nil
	}
	if err := reconcileShard(ctx, leases.Client(client, "shop"), membership.Options{Group: "orders", LeaseDuration: 4 * time.Second}, orders.Source(), reconcile); err != nil {
		panic(err)
	}
	// Output:
	// reconciled default/first
}

// reconcileShard reconciles the orders of this replica until ctx ends.
func reconcileShard(ctx context.Context, leases membership.Leases, options membership.Options, source cache.Source[*corev1.ConfigMap], reconcile controller.Reconcile) error {
	member, err := membership.New(leases, options)
	if err != nil {
		return err
	}
	orders := cache.New(shard.Source(source, member.Shard()), cache.Options[*corev1.ConfigMap]{})
	c, err := controller.New("orders", membership.Only(member, orders.Store().Get, reconcile), controller.Options{}, controller.KeysOf(orders))
	if err != nil {
		return err
	}
	membership.Enqueue(member, orders.Store().All, c.Enqueue)

	running, ctx := errgroup.WithContext(ctx)
	running.Go(func() error { return orders.Run(ctx) })
	running.Go(func() error { return c.Run(ctx) })
	running.Go(func() error { return member.Run(ctx) })
	return running.Wait()
}

// apiServer is how to reach an API server in memory.
func apiServer() *rest.Config {
	server := cachetest.NewServer()
	cachetest.Serve(server, coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", cachetest.NewAPI[*coordinationv1.Lease]())
	return &rest.Config{Host: "http://cachetest", Transport: server, QPS: -1}
}
