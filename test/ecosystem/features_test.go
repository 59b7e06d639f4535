package ecosystem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// onEach runs a test in a bubble with client-go's informers in a cache of controller-runtime, which define
// the right results, and with this module's. orders is the server.
func onEach(t *testing.T, test func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order])) {
	t.Helper()
	compared := maps.Clone(ways)
	compared["client-go"] = func(config *rest.Config) (*rest.Config, newInformer) {
		return config, toolscache.NewSharedIndexInformer
	}
	for name, way := range compared {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := cachetest.NewServer()
				orders := cachetest.ServeObjects(server, shopv1alpha1.GroupVersion.WithResource("orders"),
					order("default", "a", "north", 1), order("default", "b", "north", 1), order("default", "c", "north", 1))
				cfg, newInformer := way(&rest.Config{Host: "http://cachetest", Transport: server})
				test(t, cfg, newInformer, orders)
			})
		})
	}
}

// priorities records with which priority keys are added to a queue.
type priorities struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	mu    sync.Mutex
	added []string
}

func (p *priorities) Add(request reconcile.Request) {
	p.AddWithOpts(priorityqueue.AddOpts{}, request)
}

func (p *priorities) AddWithOpts(options priorityqueue.AddOpts, requests ...reconcile.Request) {
	p.mu.Lock()
	for _, request := range requests {
		line := request.Name
		if options.Priority != nil {
			line += fmt.Sprint(" ", *options.Priority)
		}
		p.added = append(p.added, line)
	}
	p.mu.Unlock()
	p.PriorityQueue.AddWithOpts(options, requests...)
}

// want wants what was added since the last call, in any order, and once or more.
func (p *priorities) want(t *testing.T, what string, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.added)
	if diff := cmp.Diff(want, slices.Compact(p.added)); diff != "" {
		t.Errorf("%s: keys added to the queue (-want +got):\n%s", what, diff)
	}
	p.added = nil
}

// newPriorities starts a manager with a controller of orders, and returns its queue.
func newPriorities(t *testing.T, cfg *rest.Config, options ctrl.Options, controllerOptions controller.Options, reconciler reconcile.Func) *priorities {
	t.Helper()
	options.Scheme = newScheme(t)
	options.Logger = logr.Discard()
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	options.Controller = config.Controller{SkipNameValidation: new(true)}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		t.Fatal(err)
	}
	queue := &priorities{}
	controllerOptions.NewQueue = func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		queue.PriorityQueue = priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter })
		return queue
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&shopv1alpha1.Order{}).WithOptions(controllerOptions).Complete(reconciler); err != nil {
		t.Fatal(err)
	}
	start(t, mgr.Start)
	return queue
}

func nothing(context.Context, reconcile.Request) (ctrl.Result, error) { return ctrl.Result{}, nil }

// Initial objects, resyncs and the unchanged objects of a list after a gap have the low priority. Changes
// have the usual one, also changes in a gap.
func TestPriorities(t *testing.T) {
	onEach(t, func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order]) {
		queue := newPriorities(t, cfg, ctrl.Options{Cache: cache.Options{
			NewInformer: newInformer,
			ByObject:    map[client.Object]cache.ByObject{&shopv1alpha1.Order{}: {SyncPeriod: new(time.Hour)}},
		}}, controller.Options{}, nothing)
		must := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		queue.want(t, "initial list", "a -100", "b -100", "c -100")
		must(orders.Create(order("default", "d", "north", 1)))
		changed := order("default", "a", "south", 1)
		must(orders.Update(changed))
		must(orders.Delete(client.ObjectKeyFromObject(order("default", "b", "", 0))))
		queue.want(t, "changes", "a", "b", "d")
		time.Sleep(140 * time.Minute) // client-go's first resync is after two periods, of 66 minutes at most
		queue.want(t, "resync", "a -100", "c -100", "d -100")

		orders.Fail(cachetest.Fault{Times: 1, Err: cachetest.ErrConnectionRefused})
		orders.CloseWatches()
		if _, err := orders.Update(order("default", "c", "south", 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := orders.Delete(client.ObjectKeyFromObject(changed)); err != nil {
			t.Fatal(err)
		}
		orders.Compact()
		time.Sleep(3 * time.Minute)
		queue.want(t, "list after a gap", "a", "c", "d -100")
	})
}

// A controller with EnableWarmup has the objects in its queue while another replica leads.
func TestWarmup(t *testing.T) {
	onEach(t, func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order]) {
		lock := &lease{record: resourcelock.LeaderElectionRecord{HolderIdentity: "another", LeaseDurationSeconds: 15}}
		var mu sync.Mutex
		var reconciled []string
		queue := newPriorities(t, cfg, ctrl.Options{
			Cache:                               cache.Options{NewInformer: newInformer},
			LeaderElection:                      true,
			LeaderElectionID:                    "orders",
			LeaderElectionResourceLockInterface: lock,
		}, controller.Options{EnableWarmup: new(true)}, func(_ context.Context, request reconcile.Request) (ctrl.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			reconciled = append(reconciled, request.Name)
			return ctrl.Result{}, nil
		})
		time.Sleep(time.Minute)
		queue.want(t, "before it leads", "a -100", "b -100", "c -100")
		got := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Sorted(slices.Values(reconciled))
		}
		if got := got(); len(got) > 0 {
			t.Errorf("reconciled %v before it leads", got)
		}
		lock.release()
		time.Sleep(time.Minute)
		if got := got(); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("reconciled %v", got)
		}
		if lists := listed(orders.Requests()); lists != 1 {
			t.Errorf("listed %d times", lists)
		}
	})
}

// recordedEvents are the events of a handler, as lines.
type recordedEvents struct {
	mu    sync.Mutex
	lines []string
}

func (r *recordedEvents) handler() toolscache.ResourceEventHandler {
	add := func(format string, args ...any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, fmt.Sprintf(format, args...))
	}
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, initial bool) { add("add %s initial=%t", obj.(client.Object).GetName(), initial) },
		UpdateFunc: func(_, obj any) { add("update %s", obj.(client.Object).GetName()) },
		DeleteFunc: func(obj any) { add("delete %s", obj.(client.Object).GetName()) },
	}
}

func (r *recordedEvents) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	slices.Sort(lines)
	return lines
}

// An informer of a cache can be removed, and asked for again, and is a new one then.
func TestRemoveInformer(t *testing.T) {
	onEach(t, func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order]) {
		objects, err := cache.New(cfg, cache.Options{Scheme: newScheme(t), NewInformer: newInformer, ReaderFailOnMissingInformer: true})
		if err != nil {
			t.Fatal(err)
		}
		start(t, objects.Start)
		synctest.Wait()
		missing := func(what string) {
			t.Helper()
			var notCached *cache.ErrResourceNotCached
			if err := objects.List(t.Context(), &shopv1alpha1.OrderList{}); !errors.As(err, &notCached) {
				t.Errorf("list %s: got %v, want ErrResourceNotCached", what, err)
			}
		}
		missing("without an informer")
		for range 2 {
			informer, err := objects.GetInformer(t.Context(), &shopv1alpha1.Order{})
			if err != nil {
				t.Fatal(err)
			}
			list := &shopv1alpha1.OrderList{}
			if err := objects.List(t.Context(), list); err != nil || len(list.Items) != 3 {
				t.Errorf("got %d orders, %v", len(list.Items), err)
			}
			events := &recordedEvents{}
			registration, err := informer.AddEventHandler(events.handler())
			if err != nil {
				t.Fatal(err)
			}
			toolscache.WaitForCacheSync(t.Context().Done(), registration.HasSynced)
			if got, want := events.take(), []string{"add a initial=true", "add b initial=true", "add c initial=true"}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if err := objects.RemoveInformer(t.Context(), &shopv1alpha1.Order{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if !informer.IsStopped() || orders.Watches() != 0 {
				t.Errorf("after its removal the informer is stopped: %t, watches: %d", informer.IsStopped(), orders.Watches())
			}
			if _, err := informer.AddEventHandler(events.handler()); err == nil {
				t.Error("a handler was added to an informer that is removed")
			}
			missing("after its informer was removed")
		}
	})
}

// A cache whose server refuses lists has the errors in DefaultWatchErrorHandler, keeps those
// that ask for an informer waiting, unless they don't want to, and syncs when it may list.
func TestRefusedLists(t *testing.T) {
	onEach(t, func(t *testing.T, cfg *rest.Config, newInformer newInformer, orders *cachetest.API[*shopv1alpha1.Order]) {
		orders.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(http.StatusForbidden)})
		var refused, others int
		objects, err := cache.New(cfg, cache.Options{Scheme: newScheme(t), NewInformer: newInformer,
			DefaultWatchErrorHandler: func(ctx context.Context, reflector *toolscache.Reflector, err error) {
				if apierrors.IsForbidden(err) {
					refused++
				} else {
					others++
				}
				toolscache.DefaultWatchErrorHandler(ctx, reflector, err)
			}})
		if err != nil {
			t.Fatal(err)
		}
		start(t, objects.Start)
		synctest.Wait()

		informer, err := objects.GetInformer(t.Context(), &shopv1alpha1.Order{}, cache.BlockUntilSynced(false))
		if err != nil || informer.HasSynced() {
			t.Fatalf("informer that nobody waits for: %v", err)
		}
		index := func() error {
			return objects.IndexField(t.Context(), &shopv1alpha1.Order{}, byWarehouse, func(obj client.Object) []string {
				return []string{obj.(*shopv1alpha1.Order).Spec.Warehouse}
			})
		}
		if indexesBeforeSync {
			if err := index(); err != nil {
				t.Errorf("index of an informer that is not synced: %v", err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if _, err := objects.GetInformer(ctx, &shopv1alpha1.Order{}); !apierrors.IsTimeout(err) {
			t.Errorf("informer that is waited for: got %v, want a timeout", err)
		}
		if err := objects.Get(ctx, client.ObjectKey{Namespace: "default", Name: "a"}, &shopv1alpha1.Order{}); !apierrors.IsTimeout(err) {
			t.Errorf("read: got %v, want a timeout", err)
		}
		orders.ClearFaults()
		if !indexesBeforeSync {
			if err := index(); err != nil {
				t.Errorf("index of an informer that comes in sync: %v", err)
			}
		}
		list := &shopv1alpha1.OrderList{}
		if err := objects.List(t.Context(), list, client.MatchingFields{byWarehouse: "north"}); err != nil || len(list.Items) != 3 {
			t.Errorf("got %d orders, %v", len(list.Items), err)
		}
		if refused == 0 || others > 0 {
			t.Errorf("the handler of errors had %d refused lists and %d others", refused, others)
		}
	})
}

// newStreamingCache is a NewCache for clusters whose configuration somebody else makes.
func newStreamingCache(cfg *rest.Config, options cache.Options) (cache.Cache, error) {
	cfg, informers := clientgocache.Streaming(cfg)
	options.NewInformer = informers.New
	options.HTTPClient = nil // that of the configuration without Streaming
	return cache.New(cfg, options)
}

// Each of several clusters has a Streaming of its own: its objects have in common what is equal.
func TestSeveralClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, customer := range []string{"Ada", "Bob"} {
			var objs []*shopv1alpha1.Order
			for _, name := range []string{"a", "b", "c", "d"} {
				o := order("default", name, "north", 1)
				o.Spec.Customer = customer
				objs = append(objs, o)
			}
			server := cachetest.NewServer()
			cachetest.ServeObjects(server, shopv1alpha1.GroupVersion.WithResource("orders"), objs...)
			c, err := cluster.New(&rest.Config{Host: "http://cachetest", Transport: server}, func(options *cluster.Options) {
				options.Scheme = newScheme(t)
				options.NewCache = newStreamingCache
				options.Cache.DefaultUnsafeDisableDeepCopy = new(true)
			})
			if err != nil {
				t.Fatal(err)
			}
			start(t, c.Start)
			synctest.Wait()
			list := &shopv1alpha1.OrderList{}
			if err := c.GetClient().List(t.Context(), list); err != nil || len(list.Items) != len(objs) {
				t.Fatalf("got %d orders, %v", len(list.Items), err)
			}
			items := map[*shopv1alpha1.OrderItem]bool{}
			for _, o := range list.Items {
				if o.Spec.Customer != customer {
					t.Errorf("the cluster with the orders of %s has one of %s", customer, o.Spec.Customer)
				}
				items[&o.Spec.Items[0]] = true
			}
			if len(items) == len(objs) {
				t.Error("equal items are not shared: nothing is streamed")
			}
		}
	})
}

// lease is the lock of a leader election. Another replica holds it until it is released.
type lease struct {
	mu     sync.Mutex
	record resourcelock.LeaderElectionRecord
}

func (l *lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record = resourcelock.LeaderElectionRecord{}
}

func (l *lease) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	record := l.record
	if record.HolderIdentity == "another" {
		record.RenewTime = metav1.Now()
	}
	raw, err := json.Marshal(record)
	return &record, raw, err
}

func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.Update(ctx, record)
}

func (l *lease) Update(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record = record
	return nil
}

func (l *lease) RecordEvent(string) {}
func (l *lease) Identity() string   { return "this" }
func (l *lease) Describe() string   { return "lease" }
