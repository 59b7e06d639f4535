package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	runtimefactory "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/demo/controller"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers/shop/v1alpha1"
)

// trade opens the shop, runs the controller and the customers, and compares.
func trade(ctx context.Context, j *journal, cfg *rest.Config) (err error) {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	c := &customers{client: client}
	j.step("Creating %d warehouses and %d orders", warehouseCount, ordersBefore)
	if err := errors.Join(c.openWarehouses(ctx), c.order(ctx, ordersBefore)); err != nil {
		return err
	}

	shop, err := newShop(cfg, client, c)
	if err != nil {
		return err
	}
	j.step("Starting the informers and the controller")
	running, stop := context.WithCancel(ctx)
	began := time.Now()
	shop.factory.StartWithContext(running)
	shop.standby.factory.StartWithContext(running)
	defer func() {
		stop()
		j.step("Stopping the controller and the informers")
		err = errors.Join(err, shop.stop())
		shop.factory.Shutdown()
		shop.standby.factory.Shutdown()
	}()
	shop.run(running)
	if err := shop.factory.WaitForSyncOrStuck(ctx); err != nil {
		return err
	}
	shop.sync = time.Since(began)
	j.note(fmt.Sprintf("In sync after %v", shop.sync.Round(time.Millisecond)))

	j.step("%d customers create, change and delete orders for %v", customerCount, workingDay)
	if err := shop.watch(ctx, j, c.live); err != nil {
		return err
	}
	j.step("Waiting until the controller has nothing left to do")
	if err := shop.settle(ctx); err != nil {
		return err
	}
	return shop.compare(ctx, j)
}

// replica is a controller with its informers.
type replica struct {
	factory    informers.SharedInformerFactory
	controller *controller.Controller
	// stop ends the controller, and returns the error of its Run.
	stop func() error
}

func newReplica(client *source.Client, status *controller.StatusClient) (*replica, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	ctrl, err := controller.New(factory, status)
	return &replica{factory: factory, controller: ctrl}, err
}

func (r *replica) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.controller.Run(ctx, 2) }()
	r.stop = func() error {
		cancel()
		return <-ended
	}
}

// catchUp waits until the informers have what the server has, so that a new leader does not act on
// what the former one has changed since.
func (r *replica) catchUp(ctx context.Context) error {
	shop := r.factory.Shop().V1alpha1()
	for _, wait := range []func(context.Context) error{
		runtimefactory.Core(shop.Orders().TypedInformer()).WaitForLatest,
		runtimefactory.Core(shop.Shipments().TypedInformer()).WaitForLatest,
		runtimefactory.Core(shop.Warehouses().TypedInformer()).WaitForLatest,
	} {
		if err := wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// shop holds the objects that are compared at the end.
type shop struct {
	// replica is the leader, with what it has in its cache. The other one stands by, until the
	// leader is stopped.
	*replica
	standby   *replica
	client    dynamic.Interface
	customers *customers
	status    *controller.StatusClient
	sync      time.Duration
	late      *controller.Count // of the handler that joins when all are at work
	// before counts the reconciles of the former leader.
	before int64
}

// handOver stops the leader, and has the other replica lead.
func (s *shop) handOver(ctx context.Context, j *journal) error {
	if err := s.stop(); err != nil {
		return err
	}
	began := time.Now()
	if err := s.standby.catchUp(ctx); err != nil {
		return err
	}
	j.note(fmt.Sprintf("The leader is stopped, and the other replica leads: %v until it had all that the server has", time.Since(began).Round(time.Millisecond)))
	s.before = s.controller.Reconciles()
	s.replica, s.standby = s.standby, s.replica
	s.run(ctx)
	return nil
}

func (s *shop) reconciles() int64 { return s.before + s.controller.Reconciles() }

func newShop(cfg *rest.Config, client dynamic.Interface, c *customers) (*shop, error) {
	objects, err := source.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	status, err := controller.NewStatusClient(cfg)
	if err != nil {
		return nil, err
	}
	leader, err := newReplica(objects, status)
	if err != nil {
		return nil, err
	}
	standby, err := newReplica(objects, status)
	if err != nil {
		return nil, err
	}
	return &shop{
		replica: leader, standby: standby, client: client, customers: c, status: status,
		late: &controller.Count{Handler: "late joiner", Resource: "orders"},
	}, nil
}

// watch reports once a second while work is done, half way through adds a
// handler, which is told of all orders that are there by then, and then stops the leader.
func (s *shop) watch(ctx context.Context, j *journal, work func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	join, handOver := time.After(workingDay/2), time.After(workingDay*2/3)
	for {
		select {
		case err := <-done:
			return err
		case <-join:
			handler := controller.Counting(s.late, shopinformers.OrderHandlerFuncs{})
			if _, err := s.factory.Shop().V1alpha1().Orders().TypedInformer().AddTypedEventHandler(handler); err != nil {
				return err
			}
			j.note("A handler joins late")
		case <-handOver:
			if err := s.handOver(ctx, j); err != nil {
				return err
			}
		case <-tick.C:
			j.note(s.progress())
		}
	}
}

func (s *shop) progress() string {
	return fmt.Sprintf("%5d created %5d updated %4d deleted │ %5d orders in the cache │ %5d reconciles %5d statuses written",
		s.customers.created.Load(), s.customers.updated.Load(), s.customers.deleted.Load(),
		len(s.cached()["orders"]), s.reconciles(), s.status.Writes())
}

// cached returns the resourceVersions of what is in the caches, by resource and
// key, as the listers see it.
func (s *shop) cached() map[string]map[string]string {
	all := s.factory.Shop().V1alpha1()
	orders, _ := all.Orders().Lister().List(labels.Everything())
	shipments, _ := all.Shipments().Lister().List(labels.Everything())
	warehouses, _ := all.Warehouses().Lister().List(labels.Everything())
	return map[string]map[string]string{
		"orders": versionsOf(orders), "shipments": versionsOf(shipments), "warehouses": versionsOf(warehouses),
	}
}

func versionsOf[T object](objects []T) map[string]string {
	versions := make(map[string]string, len(objects))
	for _, obj := range objects {
		versions[obj.GetNamespace()+"/"+obj.GetName()] = obj.GetResourceVersion()
	}
	return versions
}

// settle waits until the cache has the objects of the API and the controller finds nothing to do in it.
func (s *shop) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("the controller did not settle"))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		warehouses, err := s.factory.Shop().V1alpha1().Warehouses().Lister().List(labels.Everything())
		if err != nil {
			return err
		}
		if s.controller.Idle() && s.controller.Settled(warehouses) {
			if same, err := s.agree(ctx); same || err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var resources = []string{"orders", "shipments", "warehouses"}

// agree reports whether every object is in the API and in the cache in the same
// version, and in no other, and every handler was told of as many.
func (s *shop) agree(ctx context.Context) (bool, error) {
	cached := s.cached()
	for _, resource := range resources {
		api, err := versions(ctx, s.client, resource)
		if err != nil || !maps.Equal(api, cached[resource]) {
			return false, err
		}
	}
	for _, count := range s.counts() {
		if int(count.Sum()) != len(cached[count.Resource]) {
			return false, nil
		}
	}
	return true, nil
}

func (s *shop) counts() []*controller.Count {
	return append(slices.Clone(s.controller.Counts), s.late)
}

// compare prints the tables. The error says that cache and API, or cache and
// handlers, differ.
func (s *shop) compare(ctx context.Context, j *journal) error {
	j.step("Done: what the API has, what the cache has, and what the handlers were told\n")
	cached, differ := s.cached(), false
	rows := [][]string{{"RESOURCE", "IN THE API", "IN THE CACHE", "SAME"}}
	for _, resource := range resources {
		api, err := versions(ctx, s.client, resource)
		if err != nil {
			return err
		}
		same := "yes"
		if !maps.Equal(api, cached[resource]) {
			same, differ = "NO", true
		}
		rows = append(rows, []string{resource, strconv.Itoa(len(api)), strconv.Itoa(len(cached[resource])), same})
	}
	j.table(rows...)

	rows = [][]string{{"HANDLER", "RESOURCE", "INITIAL", "ADDS", "UPDATES", "DELETES", "LEAVES"}}
	for _, count := range s.counts() {
		differ = differ || int(count.Sum()) != len(cached[count.Resource])
		rows = append(rows, []string{count.Handler, count.Resource,
			fmt.Sprint(count.Initial.Load()), fmt.Sprint(count.Adds.Load()), fmt.Sprint(count.Updates.Load()), fmt.Sprint(count.Deletes.Load()), fmt.Sprint(count.Sum())})
	}
	j.table(rows...)

	phases := map[shopv1alpha1.OrderPhase]int{}
	orders, err := s.factory.Shop().V1alpha1().Orders().Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	for _, order := range orders {
		phases[order.Status.Phase]++
	}
	j.table(
		[]string{"TIME TO SYNC", "RECONCILES", "STATUSES WRITTEN", "RESERVED", "PENDING", "SHIPPED"},
		[]string{s.sync.Round(time.Millisecond).String(), fmt.Sprint(s.reconciles()), fmt.Sprint(s.status.Writes()),
			fmt.Sprint(phases[shopv1alpha1.OrderReserved]), fmt.Sprint(phases[shopv1alpha1.OrderPending]), fmt.Sprint(phases[shopv1alpha1.OrderShipped])},
	)
	if differ {
		return errors.New("the API, the cache and the handlers differ")
	}
	return nil
}
