package ecosystem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	orderinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
	shoplisters "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/listers/shop/v1alpha1"
)

// counter counts the orders of a manager's cache.
type counter struct {
	orders shoplisters.OrderLister
	added  atomic.Int32
}

func newCounter(ctx context.Context, mgr ctrl.Manager) (*counter, error) {
	informer, err := mgr.GetCache().GetInformer(ctx, &shopv1alpha1.Order{})
	if err != nil {
		return nil, err
	}
	orders, err := clientgocache.TypedInformerOf[*shopv1alpha1.Order](informer)
	if err != nil {
		return nil, err
	}
	c := &counter{orders: shoplisters.NewOrderLister(orders.GetIndexer())}
	_, err = orders.AddTypedEventHandler(orderinformers.OrderHandlerFuncs{
		AddFunc: func(*shopv1alpha1.Order) { c.added.Add(1) },
	})
	return c, err
}

// Generated listers and typed handlers work over the informers of a manager's cache,
// of this module and of client-go, and have the objects that the manager's client has.
func TestListersOverManager(t *testing.T) {
	stockOrders(t)
	for name, newInformer := range map[string]newInformerFunc{"client-go's": nil, "ours": clientgocache.NewSharedIndexInformer} {
		t.Run(name, func(t *testing.T) {
			mgr, err := ctrl.NewManager(server.Config(), ctrl.Options{
				Scheme:         newScheme(t),
				MapperProvider: newMapper,
				Logger:         logr.Discard(),
				Metrics:        metricsserver.Options{BindAddress: "0"},
				Cache:          cache.Options{NewInformer: newInformer},
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := newCounter(t.Context(), mgr)
			if err != nil {
				t.Fatal(err)
			}
			start(t, mgr.Start)
			eventually(t, func(ctx context.Context) error {
				all, err := c.orders.List(labels.Everything())
				inA, errA := c.orders.Orders("a").List(labels.Everything())
				cached := &shopv1alpha1.OrderList{}
				err = errors.Join(err, errA, mgr.GetClient().List(ctx, cached))
				if len(all) != 6 || len(inA) != 2 || len(cached.Items) != 6 || c.added.Load() != 6 {
					err = errors.Join(err, fmt.Errorf("%d orders listed, %d in a namespace, %d by the client, %d added", len(all), len(inA), len(cached.Items), c.added.Load()))
				}
				return err
			})
			large, err := c.orders.Orders("b").Get("large")
			if err != nil || large.Spec.Warehouse != "store" {
				t.Errorf("got %+v, %v", large, err)
			}
		})
	}
}

type newInformerFunc = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

// An informer that can't have typed handlers is an error that says why.
func TestNoListersOverCache(t *testing.T) {
	untyped, metadata := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
	untyped.SetGroupVersionKind(shopv1alpha1.GroupVersion.WithKind("Order"))
	metadata.SetGroupVersionKind(shopv1alpha1.GroupVersion.WithKind("Order"))
	namespaces := map[string]cache.Config{"a": {}}
	for name, c := range map[string]struct {
		options cache.Options
		obj     client.Object
		want    string
	}{
		"unstructured": {cache.Options{}, untyped, "its objects are of type *unstructured.Unstructured, not *v1alpha1.Order"},
		"metadata":     {cache.Options{}, metadata, "its objects are of type *v1.PartialObjectMetadata, not *v1alpha1.Order"},
		"another kind": {cache.Options{}, &shopv1alpha1.Warehouse{}, "its objects are of type *v1alpha1.Warehouse, not *v1alpha1.Order"},
		"namespaces":   {cache.Options{DefaultNamespaces: namespaces}, &shopv1alpha1.Order{}, "which has an informer for each namespace"},
		"namespaces by object": {cache.Options{ByObject: map[client.Object]cache.ByObject{&shopv1alpha1.Order{}: {Namespaces: namespaces}}},
			&shopv1alpha1.Order{}, "which has an informer for each namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			informer, err := startCache(t, c.options).GetInformer(t.Context(), c.obj)
			if err != nil {
				t.Fatal(err)
			}
			if orders, err := clientgocache.TypedInformerOf[*shopv1alpha1.Order](informer); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want %s", orders, err, c.want)
			}
		})
	}
}
