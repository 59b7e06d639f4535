package ecosystem

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	shoplisters "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/listers/shop/v1alpha1"
)

// packer reserves orders. It reads them from the lister of a factory, and writes with
// the client of a manager.
type packer struct {
	client.Client
	orders shoplisters.OrderLister
}

func (p packer) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	order, err := p.orders.Orders(request.Namespace).Get(request.Name)
	if err != nil || order.Status.Phase == shopv1alpha1.OrderReserved {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	order = order.DeepCopy() // objects of the lister are shared
	order.Status.Phase = shopv1alpha1.OrderReserved
	return ctrl.Result{}, p.Status().Update(ctx, order)
}

// both is a manager, and a factory beside it.
type both struct {
	manager ctrl.Manager
	cached  *clientgocache.Informers
	factory informers.SharedInformerFactory
}

func newBoth(config *rest.Config, options ctrl.Options) (*both, error) {
	cfg, cached := clientgocache.Streaming(config)
	options.Cache.NewInformer = cached.New
	options.Client = client.Options{Cache: &client.CacheOptions{
		DisableFor: []client.Object{&shopv1alpha1.Order{}}, // the factory has them
	}}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return nil, err
	}
	reader, err := source.NewClient(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(reader, 0)
	orders := factory.Shop().V1alpha1().Orders()
	err = ctrl.NewControllerManagedBy(mgr).
		Named("packer").
		WatchesRawSource(&ctrlsource.Informer{Informer: orders.Informer(), Handler: &handler.EnqueueRequestForObject{}}).
		Complete(packer{mgr.GetClient(), orders.Lister()})
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		mgr.AddHealthzCheck("factory", factory.HealthCheck(10*time.Minute)),
		mgr.AddReadyzCheck("factory", factory.ReadyCheck),
		mgr.AddHealthzCheck("cache", cached.HealthCheck(10*time.Minute)),
		mgr.AddReadyzCheck("cache", cached.ReadyCheck),
	)
	return &both{mgr, cached, factory}, err
}

func (b *both) run(ctx context.Context) error {
	defer b.factory.Shutdown()
	b.factory.StartWithContext(ctx)
	if err := b.factory.WaitForSyncOrStuck(ctx); err != nil {
		return err
	}
	return b.manager.Start(ctx)
}

// A factory is beside a manager: the factory feeds one controller, and the manager's cache another. Nothing
// is listed twice. Both are healthy, and neither is when the server has been down for too long.
func TestFactoryBesideManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orders, warehouses := cachetest.NewAPI(order("default", "first", "north", 1)), cachetest.NewAPI[*shopv1alpha1.Warehouse]()
		memory := cachetest.NewServer()
		cachetest.Serve(memory, shopv1alpha1.GroupVersion.WithResource("orders"), "Order", orders)
		cachetest.Serve(memory, shopv1alpha1.GroupVersion.WithResource("warehouses"), "Warehouse", warehouses, cachetest.ServeOptions{ClusterScoped: true})
		both, err := newBoth(&rest.Config{Host: "http://cachetest", Transport: memory}, ctrl.Options{
			Scheme:     newScheme(t),
			Logger:     logr.Discard(),
			Metrics:    metricsserver.Options{BindAddress: "0"},
			Controller: config.Controller{SkipNameValidation: new(true)},
		})
		if err != nil {
			t.Fatal(err)
		}
		k := &keeper{Client: both.manager.GetClient()}
		if err := ctrl.NewControllerManagedBy(both.manager).For(&shopv1alpha1.Warehouse{}).Complete(k); err != nil {
			t.Fatal(err)
		}
		start(t, both.run)
		if err := k.Create(t.Context(), &shopv1alpha1.Warehouse{
			ObjectMeta: metav1.ObjectMeta{Name: "north"},
			Spec:       shopv1alpha1.WarehouseSpec{Location: "Bergen", Capacity: 10},
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)

		got := &shopv1alpha1.Order{}
		if err := k.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "first"}, got); err != nil || got.Status.Phase != shopv1alpha1.OrderReserved {
			t.Errorf("the factory's controller left an order that is %q: %v", got.Status.Phase, err)
		}
		if reserved := warehouses.Objects()[0].Status.Reserved; reserved != 5 {
			t.Errorf("the manager's controller left a warehouse with %d reserved", reserved)
		}
		for name, requests := range map[string][]cachetest.Request{"orders": orders.Requests(), "warehouses": warehouses.Requests()} {
			if lists := listed(requests); lists != 1 {
				t.Errorf("%s were listed %d times, want once", name, lists)
			}
		}
		if status := both.factory.Status(); len(status) != 1 || !status[0].Synced || status[0].Objects != 1 {
			t.Errorf("factory: got status %v, want that of an informer in sync with one object", status)
		}
		if status := both.cached.Status(); len(status) != 1 || status[0].Name != "warehouses.v1alpha1.shop.example.com" || !status[0].Synced {
			t.Errorf("cache: got status %v, want that of an informer of warehouses in sync", status)
		}
		if err := errors.Join(both.factory.ReadyCheck(nil), both.cached.ReadyCheck(nil)); err != nil {
			t.Error(err)
		}
		checks := map[string]func(*http.Request) error{
			"factory": both.factory.HealthCheck(10 * time.Minute), "cache": both.cached.HealthCheck(10 * time.Minute),
		}
		for name, check := range checks {
			if err := check(nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		down := cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused}
		orders.Fail(down)
		warehouses.Fail(down)
		orders.CloseWatches()
		warehouses.CloseWatches()
		time.Sleep(20 * time.Minute)
		for name, check := range checks {
			if err := check(nil); err == nil || !strings.Contains(err.Error(), "connection refused") {
				t.Errorf("%s of a server that is down: got %v", name, err)
			}
		}
	})
}

// listed counts the requests for all objects.
func listed(requests []cachetest.Request) int {
	lists := 0
	for _, request := range requests {
		if request.Verb == cachetest.List || request.Verb == cachetest.WatchList {
			lists++
		}
	}
	return lists
}
