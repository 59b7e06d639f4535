package ecosystem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shoplisters "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/listers/shop/v1alpha1"
)

// ways are those to have this module's in a manager's cache: with what
// controller-runtime has decoded, or streaming.
var ways = map[string]func(*rest.Config) (*rest.Config, newInformer){
	"decoded": func(config *rest.Config) (*rest.Config, newInformer) {
		return config, clientgocache.NewSharedIndexInformer
	},
	"streaming": func(config *rest.Config) (*rest.Config, newInformer) {
		config, informers := clientgocache.Streaming(config)
		return config, informers.New
	},
}

type newInformer = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

// startCache starts a cache of a manager on this module's informers, streaming.
func startCache(t *testing.T, options cache.Options) cache.Cache {
	t.Helper()
	return startCacheOn(t, "streaming", options)
}

func startCacheOn(t *testing.T, way string, options cache.Options) cache.Cache {
	t.Helper()
	options.Scheme = newScheme(t)
	var config *rest.Config
	config, options.NewInformer = ways[way](server.Config())
	var err error
	if options.Mapper, err = newMapper(nil, nil); err != nil {
		t.Fatal(err)
	}
	objects, err := cache.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	start(t, objects.Start)
	if !objects.WaitForCacheSync(t.Context()) {
		t.Fatal("the cache did not start")
	}
	return objects
}

// stockOrders creates an order of each size in each of three namespaces, which the test
// deletes, and a warehouse.
func stockOrders(t *testing.T) client.Client {
	t.Helper()
	mapper, err := newMapper(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.New(server.Config(), client.Options{Scheme: newScheme(t), Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	warehouse := &shopv1alpha1.Warehouse{ObjectMeta: metav1.ObjectMeta{Name: "store"}, Spec: shopv1alpha1.WarehouseSpec{Location: "Oslo"}}
	objects := []client.Object{warehouse}
	for _, namespace := range []string{"a", "b", "c"} {
		for _, size := range []string{"small", "large"} {
			o := order(namespace, size, "store", 1)
			o.Labels = map[string]string{"size": size}
			objects = append(objects, o)
		}
	}
	for _, obj := range objects {
		if err := api.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := client.IgnoreNotFound(api.Delete(context.Background(), obj)); err != nil {
				t.Error(err)
			}
		})
	}
	return api
}

// The functions that controller-runtime gives an informer are known by their names, so that the informer
// sends the requests itself, for each form of objects but metadata.
func TestFunctionsOfControllerRuntimeAreKnown(t *testing.T) {
	stockOrders(t)
	config, informers := clientgocache.Streaming(server.Config())
	mapper, err := newMapper(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := cache.New(config, cache.Options{Scheme: newScheme(t), Mapper: mapper, NewInformer: informers.New,
		DefaultNamespaces: map[string]cache.Config{"a": {}, "b": {LabelSelector: labels.SelectorFromSet(labels.Set{"size": "large"})}}})
	if err != nil {
		t.Fatal(err)
	}
	start(t, objects.Start)
	for form, list := range orderLists() {
		wantNames(t, objects, form, list, []string{"a/large", "a/small", "b/large"})
	}
	all := informers.Status()
	if len(all) != 6 {
		t.Errorf("%d informers, want 2 for each of 3 forms", len(all))
	}
	for _, status := range all {
		if status.DecodedByClient != "" {
			t.Errorf("%s: decoded by the client: %s", status.Name, status.DecodedByClient)
		}
	}
}

// A cache on this module's informers has exactly the objects that its options select, in
// each of the three forms in which it is read, and follows what changes.
func TestCacheOptions(t *testing.T) {
	large := labels.SelectorFromSet(labels.Set{"size": "large"})
	all := []string{"a/large", "a/small", "b/large", "b/small", "c/large", "c/small"}
	for name, c := range map[string]struct {
		options cache.Options
		want    []string
	}{
		"defaults":   {cache.Options{}, all},
		"namespace":  {cache.Options{DefaultNamespaces: map[string]cache.Config{"a": {}}}, []string{"a/large", "a/small"}},
		"namespaces": {cache.Options{DefaultNamespaces: map[string]cache.Config{"a": {}, "b": {LabelSelector: large}}}, []string{"a/large", "a/small", "b/large"}},
		"all namespaces, one with a selector": {cache.Options{DefaultNamespaces: map[string]cache.Config{cache.AllNamespaces: {}, "b": {LabelSelector: large}}},
			[]string{"a/large", "a/small", "b/large", "c/large", "c/small"}},
		"label selector": {cache.Options{DefaultLabelSelector: large}, []string{"a/large", "b/large", "c/large"}},
		"field selector": {cache.Options{DefaultFieldSelector: fields.OneTermEqualSelector("metadata.name", "small")}, []string{"a/small", "b/small", "c/small"}},
		"label selector by object": {cache.Options{ByObject: map[client.Object]cache.ByObject{&shopv1alpha1.Order{}: {Label: large}}},
			[]string{"a/large", "b/large", "c/large"}},
		"namespaces by object": {cache.Options{ByObject: map[client.Object]cache.ByObject{&shopv1alpha1.Order{}: {Namespaces: map[string]cache.Config{"c": {LabelSelector: large}}}}},
			[]string{"c/large"}},
		"transform":         {cache.Options{DefaultTransform: cache.TransformStripManagedFields()}, all},
		"without deep copy": {cache.Options{DefaultUnsafeDisableDeepCopy: new(true)}, all},
		"resync":            {cache.Options{SyncPeriod: new(time.Second)}, all},
	} {
		for way := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				api := stockOrders(t)
				objects := startCacheOn(t, way, c.options)
				for form, list := range orderLists() {
					wantNames(t, objects, form, list, c.want)
				}
				namespace, name, _ := strings.Cut(c.want[0], "/")
				if err := api.Delete(t.Context(), order(namespace, name, "", 0)); err != nil {
					t.Fatal(err)
				}
				for form, list := range orderLists() {
					wantNames(t, objects, form, list, c.want[1:])
				}
			})
		}
	}
}

// orderLists are empty lists of the forms in which a cache holds orders.
func orderLists() map[string]client.ObjectList {
	untyped, metadata := &unstructured.UnstructuredList{}, &metav1.PartialObjectMetadataList{}
	untyped.SetGroupVersionKind(shopv1alpha1.GroupVersion.WithKind("OrderList"))
	metadata.SetGroupVersionKind(shopv1alpha1.GroupVersion.WithKind("OrderList"))
	return map[string]client.ObjectList{"typed": &shopv1alpha1.OrderList{}, "unstructured": untyped, "metadata": metadata}
}

// wantNames waits until a cache lists the objects of those names.
func wantNames(t *testing.T, objects cache.Cache, form string, list client.ObjectList, want []string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		if err := objects.List(ctx, list); err != nil {
			return err
		}
		var got []string
		for _, obj := range items(t, list) {
			got = append(got, obj.GetNamespace()+"/"+obj.GetName())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("%s: cached %v, want %v", form, got, want)
		}
		return nil
	})
}

// What a cache transforms is what it holds, and an object whose transform fails is left
// out, alone, and not "not found".
func TestCacheTransform(t *testing.T) {
	stockOrders(t)
	objects := startCache(t, cache.Options{ByObject: map[client.Object]cache.ByObject{&shopv1alpha1.Order{}: {
		Namespaces: map[string]cache.Config{"a": {Transform: func(obj any) (any, error) {
			order := obj.(*shopv1alpha1.Order)
			if order.Name == "small" {
				return nil, errors.New("too small")
			}
			order.ManagedFields, order.Spec.Customer = nil, ""
			return order, nil
		}}},
	}}})
	list := &shopv1alpha1.OrderList{}
	wantNames(t, objects, "typed", list, []string{"a/large"})
	if order := list.Items[0]; order.Spec.Customer != "" || order.ManagedFields != nil || order.Spec.Warehouse != "store" {
		t.Errorf("the transformed order is %+v", order)
	}
	err := objects.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "small"}, &shopv1alpha1.Order{})
	if !errors.Is(err, failure.ErrLeftOut) || client.IgnoreNotFound(err) == nil {
		t.Errorf("the order that is left out: %v", err)
	}
	if err := objects.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "never"}, &shopv1alpha1.Order{}); !apierrors.IsNotFound(err) {
		t.Errorf("an order that does not exist: %v", err)
	}
}

// A transform that changes the type of objects makes them unreadable as what they were.
func TestCacheTransformToAnotherType(t *testing.T) {
	stockOrders(t)
	objects := startCache(t, cache.Options{DefaultTransform: func(obj any) (any, error) {
		order := obj.(*shopv1alpha1.Order)
		return &metav1.PartialObjectMetadata{ObjectMeta: order.ObjectMeta}, nil
	}})
	want := "cache had type *v1.PartialObjectMetadata, but *v1alpha1.Order was asked for"
	if err := objects.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "small"}, &shopv1alpha1.Order{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	informer, err := objects.GetInformer(t.Context(), &shopv1alpha1.Order{})
	if err != nil {
		t.Fatal(err)
	}
	orders, err := clientgocache.TypedInformerOf[*shopv1alpha1.Order](informer)
	if err != nil {
		t.Fatal(err)
	}
	want = "object of type *v1.PartialObjectMetadata in the indexer: not a *v1alpha1.Order"
	if _, err := shoplisters.NewOrderLister(orders.GetIndexer()).Orders("a").Get("small"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Objects are the cache's own if it does not copy them.
func TestCacheWithoutDeepCopy(t *testing.T) {
	stockOrders(t)
	for _, shared := range []bool{false, true} {
		objects := startCache(t, cache.Options{DefaultUnsafeDisableDeepCopy: &shared})
		var orders [2]shopv1alpha1.Order
		for i := range orders {
			if err := objects.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "small"}, &orders[i]); err != nil {
				t.Fatal(err)
			}
		}
		if got := &orders[0].Spec.Items[0] == &orders[1].Spec.Items[0]; got != shared {
			t.Errorf("UnsafeDisableDeepCopy %t: items are shared: %t", shared, got)
		}
	}
}

// Objects of a cluster are in a cache that is restricted to namespaces.
func TestCacheOfNamespacesHasObjectsOfTheCluster(t *testing.T) {
	stockOrders(t)
	objects := startCache(t, cache.Options{DefaultNamespaces: map[string]cache.Config{"a": {}}})
	wantNames(t, objects, "typed", &shopv1alpha1.WarehouseList{}, []string{"/store"})
}

// Without bookmarks no watch-list says that it is complete, and the informer falls back to
// a list.
func TestCacheWithoutBookmarks(t *testing.T) {
	stockOrders(t)
	objects := startCache(t, cache.Options{DefaultEnableWatchBookmarks: new(false), DefaultNamespaces: map[string]cache.Config{"a": {}}})
	wantNames(t, objects, "typed", &shopv1alpha1.OrderList{}, []string{"a/large", "a/small"})
}
