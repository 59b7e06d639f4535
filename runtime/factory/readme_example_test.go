package factory_test

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	orderinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
)

// followOrders queues the key of each existing order, and of each order that is created,
// updated or deleted, and works on the queue until ctx ends.
func followOrders(ctx context.Context, config *rest.Config, queue workqueue.TypedInterface[cache.ObjectName]) error {
	client, err := source.NewClient(config) // auth, TLS, rate limits and proxies of the rest.Config
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown() // stops what was started, and waits for every goroutine

	orders := factory.Shop().V1alpha1().Orders()
	_, err = orders.TypedInformer().AddTypedEventHandler(orderinformers.OrderHandlerFuncs{
		AddFunc:    func(order *v1alpha1.Order) { queue.Add(cache.MetaObjectToName(order)) },
		UpdateFunc: func(_, order *v1alpha1.Order) { queue.Add(cache.MetaObjectToName(order)) },
		DeleteFunc: func(gone orderinformers.DeletedOrder) { queue.Add(gone.GetObjectName()) },
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	if err := factory.WaitForSyncOrStuck(ctx); err != nil {
		return err // informer "orders.v1alpha1.shop.example.com": not in sync: backing off (2s so far),
		//            next attempt in 1s, 3 failed attempts in 5s, last error: list: … forbidden …; RBAC must grant list and watch on …
	}
	existing, err := orders.Lister().Orders("default").List(labels.Everything())
	if err != nil {
		return err
	}
	return work(ctx, queue, orders.Lister(), len(existing))
}
