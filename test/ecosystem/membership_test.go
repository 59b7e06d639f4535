package ecosystem

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// sharded is a manager with the packer of a factory whose informers follow the shard of a
// member.
type sharded struct {
	manager ctrl.Manager
	member  *membership.Member
	factory informers.SharedInformerFactory
}

func newSharded(config *rest.Config, options ctrl.Options, identity string) (*sharded, error) {
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, err
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	reader, err := source.NewClient(config)
	if err != nil {
		return nil, err
	}
	member, err := membership.New(clientset.CoordinationV1().Leases("default"), membership.Options{Group: "orders", Identity: identity})
	if err != nil {
		return nil, err
	}
	f := informers.NewSharedInformerFactoryWithOptions(reader, 0, factory.WithWrapSource(member.Shard().Objects))
	orders := f.Shop().V1alpha1().Orders()
	store := factory.Core(orders.TypedInformer()).Store()
	gained := func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		membership.Enqueue(member, store.All, func(keys ...types.NamespacedName) {
			for _, key := range keys {
				queue.Add(reconcile.Request{NamespacedName: key})
			}
		})
		return nil
	}
	get := func(request reconcile.Request) (*shopv1alpha1.Order, bool) { return store.Get(request.NamespacedName) }
	err = ctrl.NewControllerManagedBy(mgr).
		Named("packer").
		WatchesRawSource(&ctrlsource.Informer{Informer: orders.Informer(), Handler: &handler.EnqueueRequestForObject{}}).
		WatchesRawSource(ctrlsource.Func(gained)).
		Complete(reconcile.Func(membership.Only(member, get, packer{mgr.GetClient(), orders.Lister()}.Reconcile)))
	if err != nil {
		return nil, err
	}
	return &sharded{mgr, member, f}, mgr.Add(manager.RunnableFunc(member.Run))
}

func (s *sharded) run(ctx context.Context) error {
	defer s.factory.Shutdown()
	s.factory.StartWithContext(ctx)
	return s.manager.Start(ctx)
}

// A member alone owns everything over client-go's fake clientset, whose objects have no versions.
func TestMembershipOfFakeClientset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		member, err := membership.New(fake.NewClientset().CoordinationV1().Leases("default"), membership.Options{Group: "orders", Identity: "a"})
		if err != nil {
			t.Fatal(err)
		}
		stop := start(t, member.Run)
		time.Sleep(time.Minute)
		if s := member.Status(); s.Phase != membership.Active || s.Owned.Count != membership.Slots || s.Failures != 0 {
			t.Errorf("%+v", s)
		}
		stop()
	})
}

// Two managers divide the orders among them. When one goes, the other takes its orders.
func TestMembershipInManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orders, leases := cachetest.NewAPI[*shopv1alpha1.Order](), cachetest.NewAPI[*coordinationv1.Lease]()
		memory := cachetest.NewServer()
		cachetest.Serve(memory, shopv1alpha1.GroupVersion.WithResource("orders"), "Order", orders)
		cachetest.Serve(memory, coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", leases)
		var replicas []*sharded
		var stops []func()
		for _, identity := range []string{"a", "b"} {
			replica, err := newSharded(&rest.Config{Host: "http://cachetest", Transport: memory, QPS: -1}, ctrl.Options{
				Scheme:     newScheme(t),
				Logger:     logr.Discard(),
				Metrics:    metricsserver.Options{BindAddress: "0"},
				Controller: config.Controller{SkipNameValidation: new(true)},
			}, identity)
			if err != nil {
				t.Fatal(err)
			}
			replicas, stops = append(replicas, replica), append(stops, start(t, replica.run))
		}
		time.Sleep(time.Minute)
		writer := replicas[1].manager.GetClient()
		create := func(from, to int) {
			for i := from; i < to; i++ {
				if err := writer.Create(t.Context(), order("default", fmt.Sprint("order-", i), "north", 1)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			for _, got := range orders.Objects() {
				if got.Status.Phase != shopv1alpha1.OrderReserved {
					t.Errorf("%s is %q", got.Name, got.Status.Phase)
				}
			}
		}
		create(0, 40)
		objects := 0
		for _, replica := range replicas {
			if owned := replica.member.Status().Owned.Count; owned != membership.Slots/2 {
				t.Errorf("a replica of two owns %d slots", owned)
			}
			objects += replica.factory.Status()[0].Objects
		}
		if objects != 40 {
			t.Errorf("the replicas have %d of 40 orders together", objects)
		}
		stops[0]()
		create(40, 80)
		for _, lease := range leases.Objects() {
			if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == "a" {
				t.Errorf("left behind: %v", lease)
			}
		}
	})
}
