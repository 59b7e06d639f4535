package ecosystem

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

const inventory = "shop.example.com/inventory"

// keeper is a reconciler as kubebuilder's book has it: it puts a finalizer on
// each warehouse, writes its status, and takes an inventory before it goes.
type keeper struct {
	client.Client
	taken int
}

func (k *keeper) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	warehouse := &shopv1alpha1.Warehouse{}
	if err := k.Get(ctx, request.NamespacedName, warehouse); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !warehouse.DeletionTimestamp.IsZero() {
		if !controllerutil.RemoveFinalizer(warehouse, inventory) {
			return ctrl.Result{}, nil
		}
		k.taken++
		return ctrl.Result{}, k.Update(ctx, warehouse)
	}
	before := warehouse.DeepCopy()
	if controllerutil.AddFinalizer(warehouse, inventory) {
		// The update that this leads to comes back for the status.
		return ctrl.Result{}, k.Patch(ctx, warehouse, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	if reserved := warehouse.Spec.Capacity / 2; warehouse.Status.Reserved != reserved {
		warehouse.Status.Reserved = reserved
		return ctrl.Result{}, k.Status().Update(ctx, warehouse)
	}
	return ctrl.Result{}, nil
}

// TestControllerInMemory: a manager with a controller of controller-runtime,
// whose client reads and writes cachetest's server, in a bubble where waiting
// takes no time.
func TestControllerInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI[*shopv1alpha1.Warehouse]()
		memory := cachetest.NewServer()
		cachetest.Serve(memory, shopv1alpha1.GroupVersion.WithResource("warehouses"), "Warehouse", api, cachetest.ServeOptions{ClusterScoped: true})
		manager, k := newKeeper(t, &rest.Config{Host: "http://cachetest", Transport: memory})
		start(t, manager.Start)

		own := manager.GetClient()
		warehouse := &shopv1alpha1.Warehouse{ObjectMeta: metav1.ObjectMeta{Name: "north"}, Spec: shopv1alpha1.WarehouseSpec{Location: "Bergen", Capacity: 10}}
		if err := own.Create(t.Context(), warehouse); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := own.Get(t.Context(), client.ObjectKeyFromObject(warehouse), warehouse); err != nil {
			t.Fatal(err)
		}
		if warehouse.Status.Reserved != 5 || !controllerutil.ContainsFinalizer(warehouse, inventory) || warehouse.Generation != 1 {
			t.Errorf("warehouse is %+v", warehouse)
		}

		stale := warehouse.DeepCopy()
		warehouse.Spec.Capacity = 20
		if err := own.Update(t.Context(), warehouse); err != nil || warehouse.Generation != 2 {
			t.Errorf("generation is %d after the update: %v", warehouse.Generation, err)
		}
		if err := own.Update(t.Context(), stale); !apierrors.IsConflict(err) {
			t.Errorf("update of an old state: %v", err)
		}
		time.Sleep(time.Minute)
		if err := own.Delete(t.Context(), warehouse); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if left := api.Objects(); k.taken != 1 || len(left) != 0 {
			t.Errorf("%d inventories were taken, and %d warehouses are left", k.taken, len(left))
		}
	})
}

// newKeeper returns a manager with a keeper.
func newKeeper(t *testing.T, cfg *rest.Config) (ctrl.Manager, *keeper) {
	t.Helper()
	skip := true
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:     newScheme(t),
		Logger:     logr.Discard(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{Client: manager.GetClient()}
	if err := ctrl.NewControllerManagedBy(manager).For(&shopv1alpha1.Warehouse{}).Complete(k); err != nil {
		t.Fatal(err)
	}
	return manager, k
}
