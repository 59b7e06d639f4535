package ecosystem

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

const byWarehouse = "spec.warehouse"

// stock is the reconciler of a kubebuilder project: it writes into the status
// of a warehouse how many items its orders want. It reads from the cache only.
type stock struct{ client.Client }

func (s stock) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	warehouse := &shopv1alpha1.Warehouse{}
	if err := s.Get(ctx, request.NamespacedName, warehouse); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	orders := &shopv1alpha1.OrderList{}
	if err := s.List(ctx, orders, client.MatchingFields{byWarehouse: warehouse.Name}); err != nil {
		return ctrl.Result{}, err
	}
	reserved := int64(0)
	for _, order := range orders.Items {
		for _, item := range order.Spec.Items {
			reserved += int64(item.Quantity)
		}
	}
	if warehouse.Status.Reserved == reserved {
		return ctrl.Result{}, nil
	}
	warehouse.Status.Reserved = reserved // the client's copy, not the cache's object
	return ctrl.Result{}, s.Status().Update(ctx, warehouse)
}

// warehouseOf maps an order to the warehouse to reconcile.
func warehouseOf(_ context.Context, obj client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: obj.(*shopv1alpha1.Order).Spec.Warehouse}}}
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := shopv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// newMapper maps kinds to resources. The API server of the tests does not serve
// the list of groups, which a manager asks for otherwise.
func newMapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind, scope := range map[string]meta.RESTScope{"Order": meta.RESTScopeNamespace, "Warehouse": meta.RESTScopeRoot} {
		gvk := shopv1alpha1.GroupVersion.WithKind(kind)
		plural, singular := meta.UnsafeGuessKindToResource(gvk)
		mapper.AddSpecific(gvk, plural, singular, scope)
		mapper.AddSpecific(gvk.GroupVersion().WithKind(kind+"List"), plural, singular, scope)
	}
	return mapper, nil
}

// newManager returns a manager with stock as its controller. One manager at a time is the leader. The
// informers of its cache are this module's.
func newManager(t *testing.T) ctrl.Manager {
	t.Helper()
	cfg, informers := clientgocache.Streaming(server.Config())
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        newScheme(t),
		MapperProvider:                newMapper,
		Logger:                        logr.Discard(),
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		Cache:                         cache.Options{NewInformer: informers.New},
		Client:                        client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Controller:                    config.Controller{SkipNameValidation: new(true)}, // two in one process
		LeaderElection:                true,
		LeaderElectionID:              "stock",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 new(2 * timeout),
		RenewDeadline:                 new(timeout),
	})
	if err != nil {
		t.Fatal(err)
	}
	err = manager.GetFieldIndexer().IndexField(t.Context(), &shopv1alpha1.Order{}, byWarehouse, func(obj client.Object) []string {
		return []string{obj.(*shopv1alpha1.Order).Spec.Warehouse}
	})
	if err != nil {
		t.Fatal(err)
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&shopv1alpha1.Warehouse{}).
		Watches(&shopv1alpha1.Order{}, handler.EnqueueRequestsFromMapFunc(warehouseOf)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 2}).
		Complete(stock{manager.GetClient()})
	if err != nil {
		t.Fatal(err)
	}
	return manager
}

func order(namespace, name, warehouse string, quantity int32) *shopv1alpha1.Order {
	return &shopv1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: shopv1alpha1.OrderSpec{
			Customer:  "Ada",
			Warehouse: warehouse,
			Items:     []shopv1alpha1.OrderItem{{SKU: "tea", Quantity: quantity}},
		},
	}
}

// A controller of a kubebuilder project reconciles custom resources, with a field index and leader
// election. When the leader goes, the other manager takes over with a cache that it kept up to date.
func TestManager(t *testing.T) {
	mapper, err := newMapper(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.New(server.Config(), client.Options{Scheme: newScheme(t), Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	first, second := newManager(t), newManager(t)
	stopFirst := start(t, first.Start)
	<-first.Elected()
	start(t, second.Start)

	const warehouse, orders, namespaces = "harbour", 30, 3
	namespace := func(i int) string { return fmt.Sprintf("shop-%d", i%namespaces) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	wantReserved := func(want int64) {
		t.Helper()
		eventually(t, func(ctx context.Context) error {
			got := &shopv1alpha1.Warehouse{}
			if err := api.Get(ctx, client.ObjectKey{Name: warehouse}, got); err != nil {
				return err
			}
			if got.Status.Reserved != want {
				return fmt.Errorf("%d items reserved, want %d", got.Status.Reserved, want)
			}
			return nil
		})
	}

	t.Cleanup(func() {
		for i := range namespaces {
			if err := api.DeleteAllOf(context.Background(), &shopv1alpha1.Order{}, client.InNamespace(namespace(i))); err != nil {
				t.Error(err)
			}
		}
		if err := api.DeleteAllOf(context.Background(), &shopv1alpha1.Warehouse{}); err != nil {
			t.Error(err)
		}
	})
	must(api.Create(t.Context(), &shopv1alpha1.Warehouse{
		ObjectMeta: metav1.ObjectMeta{Name: warehouse},
		Spec:       shopv1alpha1.WarehouseSpec{Location: "Bristol"},
	}))
	var all []*shopv1alpha1.Order
	for i := range orders {
		all = append(all, order(namespace(i), fmt.Sprintf("order-%d", i), warehouse, 2))
		must(api.Create(t.Context(), all[i]))
	}
	must(api.Create(t.Context(), order(namespace(0), "elsewhere", "another", 100)))
	wantReserved(2 * orders)

	all[0].Spec.Items[0].Quantity = 10
	must(api.Update(t.Context(), all[0]))
	must(api.Delete(t.Context(), all[1]))
	wantReserved(2*orders + 8 - 2)

	stopFirst()
	<-second.Elected()
	all[2].Spec.Warehouse = "another"
	must(api.Update(t.Context(), all[2]))
	wantReserved(2*orders + 8 - 2 - 2)

	wantOurInformers(t, second.GetCache())
	wantCached(t, second, api)
}

// wantOurInformers wants the informers below a cache to be of this module.
func wantOurInformers(t *testing.T, objects cache.Cache) {
	t.Helper()
	for _, obj := range []client.Object{&shopv1alpha1.Order{}, &shopv1alpha1.Warehouse{}} {
		informer, err := objects.GetInformer(t.Context(), obj)
		if err != nil {
			t.Fatal(err)
		}
		shared, ok := informer.(toolscache.SharedIndexInformer)
		if !ok {
			t.Fatalf("informer of %T is a %T", obj, informer)
		}
		if _, ok := clientgocache.Core[runtime.Object](shared); !ok {
			t.Errorf("informer of %T is a %T, not this module's", obj, shared)
		}
	}
}

// wantCached wants each of the three forms in which a manager's client reads
// from its cache to give what the API server gives.
func wantCached(t *testing.T, manager ctrl.Manager, api client.Client) {
	t.Helper()
	gvk := shopv1alpha1.GroupVersion.WithKind("OrderList")
	untyped, metadata := &unstructured.UnstructuredList{}, &metav1.PartialObjectMetadataList{}
	untyped.SetGroupVersionKind(gvk)
	metadata.SetGroupVersionKind(gvk)
	for name, list := range map[string]client.ObjectList{"typed": &shopv1alpha1.OrderList{}, "untyped": untyped, "metadata": metadata} {
		t.Run(name, func(t *testing.T) {
			want := list.DeepCopyObject().(client.ObjectList)
			if err := api.List(t.Context(), want, client.InNamespace("shop-0")); err != nil {
				t.Fatal(err)
			}
			eventually(t, func(ctx context.Context) error {
				got := list.DeepCopyObject().(client.ObjectList)
				if err := manager.GetClient().List(ctx, got, client.InNamespace("shop-0")); err != nil {
					return err
				}
				g, w := items(t, got), items(t, want)
				if len(w) == 0 || !equality.Semantic.DeepEqual(g, w) {
					return fmt.Errorf("%d cached objects, %d of the API server (-want +got):\n%s", len(g), len(w), cmp.Diff(w, g))
				}
				return nil
			})
		})
	}
}

// items returns the objects of a list in the order of their names, without their kinds: a list of the API
// server has some kinds, and a cache none.
func items(t *testing.T, list client.ObjectList) []client.Object {
	t.Helper()
	var objs []client.Object
	err := meta.EachListItem(list, func(item runtime.Object) error {
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		objs = append(objs, item.(client.Object))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(objs, func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return objs
}
