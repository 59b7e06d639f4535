package controller_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/source"
)

type (
	configMap = *corev1.ConfigMap
	key       = types.NamespacedName
)

const (
	// A pool owns machines. Both are config maps, in two resources with a watch each.
	pools, machines = "pools", "machines"
	// lateness is the most by which a watch event is late, requests the most that a reconcile takes.
	lateness, requests = 30 * time.Second, 20 * time.Second
)

var (
	kind      = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	resources = map[string]*clients.Resource[configMap, *corev1.ConfigMapList]{
		pools:    clients.NewResource[configMap, *corev1.ConfigMapList](kind, pools),
		machines: clients.NewResource[configMap, *corev1.ConfigMapList](kind, machines),
	}
)

var seeds = flag.Int("seeds", 8, "how many random scripts to play with late watches")

func newPool(name string, replicas int) configMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name},
		Data:       map[string]string{"replicas": strconv.Itoa(replicas)},
	}
}

// newMachine returns a machine with a random name, so that the API accepts duplicates.
func newMachine(pool configMap, number, term int) configMap {
	machine := newPool(fmt.Sprintf("%s-%016x", pool.Name, rand.Uint64()), 0)
	machine.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pool, kind)}
	machine.Data = map[string]string{"number": strconv.Itoa(number), "term": strconv.Itoa(term)}
	return machine
}

func number(obj configMap, field string) int {
	n, _ := strconv.Atoi(obj.Data[field])
	return n
}

// keyOf returns the key of a pool, or of the pool of a machine.
func keyOf(obj configMap) key {
	if owner := metav1.GetControllerOfNoCopy(obj); owner != nil {
		return key{Namespace: "ns", Name: owner.Name}
	}
	return key{Namespace: "ns", Name: obj.Name}
}

// read returns the pool of a name, nil if there is none, and its machines by number.
func read(name string, list func(resource string) []configMap) (pool configMap, owned []configMap) {
	for _, obj := range slices.Concat(list(pools), list(machines)) {
		if obj.Name == name {
			pool = obj
		} else if keyOf(obj).Name == name {
			owned = append(owned, obj)
		}
	}
	slices.SortFunc(owned, func(a, b configMap) int { return cmp.Compare(number(a, "number"), number(b, "number")) })
	return pool, owned
}

// The observer in front of the API counts these.
const (
	duplicates = "duplicates"       // machines beyond the replicas of their pool
	reverted   = "reverted counts"  // not above the count before
	former     = "of new leaders"   // writes by a reconcile that has not read all that a former leader wrote
	stale      = "stale reconciles" // which have not read all earlier writes
	reconciles = "reconciles"
	writes     = "writes"
)

type findings struct {
	counts map[string]int
	// extra is from the arrival of an event until its reconcile, and takeovers from the start of a leader
	// until it first reconciles a key.
	extra, takeovers []time.Duration
}

// wrong counts what a controller must not do.
func (f findings) wrong() int {
	return f.counts[duplicates] + f.counts[reverted] + f.counts[former] + f.counts[stale]
}

// world is the API with its observer.
type world struct {
	*testing.T
	server http.RoundTripper
	apis   map[string]*cachetest.API[configMap]
	// late returns how late a watch event is, and slow how long a write and its response are on their way.
	late func(replica int, resource string) time.Duration
	slow func() time.Duration
	// loses reports whether the response of a write is lost, in a process that goes on.
	loses func() bool

	mu       sync.Mutex
	random   *rand.Rand
	end      func()         // ends the leadership
	crashing bool           // the leader crashes after its next write
	created  map[string]int // machines that controllers created, by pool
	deleted  map[string]int // terms in which controllers deleted machines, by name
	surplus  map[string]int // replicas that a user took back a short time ago, by pool
	findings
}

// attempt is a reconcile. The contexts of its requests have it.
type attempt struct {
	pool   string
	term   int
	former bool // it has not read all that a former leader wrote
}

type attemptKey struct{}

// write passes a write to the API, and counts.
func (w *world) write(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := req.Context().Value(attemptKey{}).(*attempt)
	pool, owned := read(a.pool, w.objects)
	resp, err := w.server.RoundTrip(req.Clone(context.Background())) // a write that has arrived is not cancelled
	if err != nil || resp.StatusCode/100 != 2 {
		return resp, err
	}
	w.counts[writes]++
	if a.former {
		w.counts[former]++
	}
	switch req.Method {
	case http.MethodPost:
		w.created[pool.Name]++
		if len(owned) >= number(pool, "replicas")+w.surplus[pool.Name] {
			w.counts[duplicates]++
		}
	case http.MethodPatch:
		if latest, _ := read(a.pool, w.objects); number(latest, "count") <= number(pool, "count") {
			w.counts[reverted]++
		}
	case http.MethodDelete:
		w.deleted[path.Base(req.URL.Path)] = a.term
	}
	if w.crashing {
		w.end()
	}
	return resp, nil
}

func (w *world) objects(resource string) []configMap {
	return slices.DeleteFunc(w.apis[resource].Objects(), func(obj configMap) bool { return obj.Namespace != "ns" })
}

// connection is the transport of a replica.
type connection struct {
	*world
	replica int
}

func (c connection) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Method == http.MethodGet {
		resp, err = c.server.RoundTrip(req)
		if err == nil && req.URL.Query().Has("watch") {
			resource := path.Base(req.URL.Path)
			resp.Body = &lateBody{ReadCloser: resp.Body, ctx: req.Context(), late: func() time.Duration { return c.late(c.replica, resource) }}
		}
		return resp, err
	}
	time.Sleep(c.slow())
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp, err = c.write(req)
	time.Sleep(c.slow())
	lost := req.Context().Err()
	if lost == nil && c.loses() {
		lost = cachetest.ErrConnectionReset
	}
	if err == nil && lost != nil {
		_ = resp.Body.Close()
		return nil, lost
	}
	return resp, err
}

// lateBody is a late watch. Events and bookmarks that come while one is late are delivered with it.
type lateBody struct {
	io.ReadCloser
	ctx  context.Context
	late func() time.Duration
	due  time.Time
}

func (b *lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if time.Now().After(b.due) {
		b.due = time.Now().Add(b.late())
	}
	select {
	case <-time.After(time.Until(b.due)):
	case <-b.ctx.Done():
	}
	return n, err
}

// process is a replica until it crashes.
type process struct {
	*world
	client *source.Client
	// shared has the informers, and own has them if they are of this module.
	shared map[string]toolscache.SharedIndexInformer
	own    map[string]*core.Informer[configMap]
	stop   func()

	term  int
	began time.Time
	// last has the times of the last reconciles of the term, and came those of the first events since.
	last, came map[key]time.Time
}

// newProcess starts the informers of a replica.
func (w *world) newProcess(replica int, clientGo bool) *process {
	config := &rest.Config{Transport: connection{w, replica}, QPS: -1}
	client, err := source.NewClient(config)
	if err != nil {
		w.Error(err)
	}
	lists := corev1client.NewForConfigOrDie(config).RESTClient()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	p := &process{
		world: w, client: client, stop: func() { cancel(); running.Wait() }, came: map[key]time.Time{},
		shared: map[string]toolscache.SharedIndexInformer{}, own: map[string]*core.Informer[configMap]{},
	}
	for resource := range resources {
		informer := toolscache.NewSharedIndexInformer(
			toolscache.NewListWatchFromClient(lists, resource, "ns", fields.Everything()), &corev1.ConfigMap{}, 0, nil)
		if !clientGo {
			p.own[resource] = core.New(source.New[configMap](client, corev1.SchemeGroupVersion.WithResource(resource), "ns"), core.Options[configMap]{})
			informer = clientgocache.Untyped(p.own[resource], clientgocache.AdapterOptions{})
		}
		if _, err := informer.AddEventHandler(handler(p.arrived)); err != nil {
			w.Error(err)
		}
		p.shared[resource] = informer
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	return p
}

func (p *process) list(resource string) (all []configMap) {
	for _, obj := range p.shared[resource].GetStore().List() {
		all = append(all, obj.(configMap))
	}
	return all
}

// arrived notes an event, unless a reconcile at the same time has read it.
func (p *process) arrived(k key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.came[k]; !ok && time.Now().After(p.last[k]) {
		p.came[k] = time.Now()
	}
}

func handler(enqueue func(key)) toolscache.ResourceEventHandler {
	f := func(obj any) { enqueue(keyOf(obj.(configMap))) } // a tombstone needs a relist
	return toolscache.ResourceEventHandlerFuncs{AddFunc: f, UpdateFunc: func(_, obj any) { f(obj) }, DeleteFunc: f}
}

// variant runs the controller while the process leads.
type variant func(ctx context.Context, p *process) error

// naive uses client-go alone.
func naive(ctx context.Context, p *process) error {
	if !toolscache.WaitForCacheSync(ctx.Done(), p.shared[pools].HasSynced, p.shared[machines].HasSynced) {
		return ctx.Err()
	}
	return p.work(ctx, func(key) bool { return true }, func(ctx context.Context, _ key) context.Context { return ctx })
}

// ours uses a Controller.
func ours(ctx context.Context, p *process) error {
	reconcile := func(ctx context.Context, k key) (result controller.Result, err error) {
		return result, p.reconcile(ctx, k)
	}
	c, err := controller.New("pools", reconcile, controller.Options{Workers: 3, Fence: true},
		controller.KeysOf(p.own[pools]), controller.OwnersOf(p.own[machines], kind.GroupKind()))
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// queued uses Writes and client-go's work queue.
func queued(ctx context.Context, p *process) error {
	if err := cmp.Or(p.own[pools].WaitForLatest(ctx), p.own[machines].WaitForLatest(ctx)); err != nil {
		return err
	}
	writes, err := controller.NewWrites(p.own[pools].Untyped(), p.own[machines].Untyped())
	if err != nil {
		return err
	}
	return p.work(ctx, writes.Ready, writes.Context)
}

// work reconciles the keys of a work queue that are ready.
func (p *process) work(ctx context.Context, ready func(key) bool, noting func(context.Context, key) context.Context) error {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[key]())
	for _, informer := range p.shared {
		registration, err := informer.AddEventHandler(handler(func(k key) { queue.Add(k) }))
		if err != nil {
			return err
		}
		defer func() { _ = informer.RemoveEventHandler(registration) }()
	}
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for k, shutdown := queue.Get(); !shutdown; k, shutdown = queue.Get() {
				switch {
				case ctx.Err() != nil:
				case !ready(k):
					queue.AddAfter(k, 100*time.Millisecond)
				case p.reconcile(noting(ctx, k), k) != nil:
					queue.AddRateLimited(k)
				default:
					queue.Forget(k)
				}
				queue.Done(k)
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown()
	workers.Wait()
	return nil
}

// reconcile creates the machines that a pool lacks, and deletes surplus ones. The pool counts all machines
// that were ever created; a leader may have crashed before it counted the last one.
func (p *process) reconcile(ctx context.Context, k key) error {
	pool, owned := read(k.Name, p.list)
	if pool == nil {
		return nil
	}
	a := p.begin(k, pool, owned)
	ctx = context.WithValue(ctx, attemptKey{}, a)
	client, replicas := resources[machines].Client(p.client, "ns"), number(pool, "replicas")
	count := func(n int) error {
		patch := fmt.Appendf(nil, `{"data":{"count":"%d","term":"%d"}}`, n, a.term)
		_, err := resources[pools].Client(p.client, "ns").Patch(ctx, k.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
	last := number(pool, "count")
	if n := len(owned); n > 0 && number(owned[n-1], "number") > last {
		last = number(owned[n-1], "number")
		if err := count(last); err != nil {
			return err
		}
	}
	for range replicas - len(owned) {
		last++
		if _, err := client.Create(ctx, newMachine(pool, last, a.term), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := count(last); err != nil {
			return err
		}
	}
	for _, machine := range owned[min(replicas, len(owned)):] {
		if err := client.Delete(ctx, machine.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// begin notes a reconcile, and compares what it has read with the API.
func (p *process) begin(k key, pool configMap, owned []configMap) *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, behind := &attempt{pool: k.Name, term: p.term}, false
	missed := func(term int) {
		behind = true
		a.former = a.former || term != p.term
	}
	latest, existing := read(k.Name, p.objects)
	if number(pool, "count") != number(latest, "count") {
		missed(number(latest, "term"))
	}
	names := map[string]bool{}
	for _, machine := range owned {
		names[machine.Name] = true
		if term, ok := p.deleted[machine.Name]; ok {
			missed(term)
		}
	}
	for _, machine := range existing {
		if !names[machine.Name] {
			missed(number(machine, "term"))
		}
	}
	p.counts[reconciles]++
	if behind {
		p.counts[stale]++
	}
	if p.last[k].IsZero() {
		p.takeovers = append(p.takeovers, time.Since(p.began))
	} else if came, ok := p.came[k]; ok {
		p.extra = append(p.extra, time.Since(came))
	}
	p.last[k] = time.Now()
	delete(p.came, k)
	return a
}

// run plays a script while two replicas lead in turns. In the end, the API must be right without client-go.
func run(t *testing.T, v variant, clientGo bool, seed uint64, prepare, script func(w *world), objects ...configMap) (found findings) {
	synctest.Test(t, func(t *testing.T) {
		server := cachetest.NewServer()
		w := &world{
			T: t, server: server, random: rand.New(rand.NewPCG(seed, 51)), findings: findings{counts: map[string]int{}},
			created: map[string]int{}, deleted: map[string]int{}, surplus: map[string]int{},
			apis: map[string]*cachetest.API[configMap]{
				pools:    cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource(pools), objects...),
				machines: cachetest.ServeObjects[configMap](server, corev1.SchemeGroupVersion.WithResource(machines)),
			},
		}
		prepare(w)
		ctx, cancel := context.WithCancel(context.Background())
		var electing sync.WaitGroup
		electing.Go(func() { w.elect(ctx, v, clientGo) })
		script(w)
		w.locked(func() { w.crashing = false })
		time.Sleep(3 * (lateness + requests)) // for a takeover, an event and a write
		cancel()
		electing.Wait()
		for _, obj := range w.objects(pools) {
			pool, owned := read(obj.Name, w.objects)
			if !clientGo && (len(owned) != number(pool, "replicas") || number(pool, "count") != w.created[pool.Name]) {
				t.Errorf("seed %d: %s has %d machines, %d were created, and it is %v", seed, pool.Name, len(owned), w.created[pool.Name], pool.Data)
			}
		}
		found = w.findings
	})
	return found
}

// elect lets the replicas lead in turns. A replica that crashes starts again.
func (w *world) elect(ctx context.Context, v variant, clientGo bool) {
	replicas := []*process{w.newProcess(0, clientGo), w.newProcess(1, clientGo)}
	for term := 0; ctx.Err() == nil; term++ {
		p := replicas[term%2]
		leading, end := context.WithCancel(ctx)
		w.locked(func() { w.end, p.term, p.began, p.last = end, term, time.Now(), map[key]time.Time{} })
		if err := v(leading, p); err != nil && leading.Err() == nil {
			w.Error(err)
		}
		end()
		crashed := false
		w.locked(func() { crashed, w.crashing = w.crashing, false })
		if crashed {
			p.stop()
			replicas[term%2] = w.newProcess(term%2, clientGo)
		}
		time.Sleep(w.slow())
	}
	for _, p := range replicas {
		p.stop()
	}
}

func (w *world) locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) upTo(d time.Duration) (some time.Duration) {
	w.locked(func() { some = time.Duration(w.random.Int64N(int64(d + 1))) })
	return some
}

// scale updates a pool, as a user. The watch may tell the controller later that it has fewer replicas.
func (w *world) scale(name string, more int) {
	w.locked(func() {
		pool, _ := read(name, w.objects)
		replicas := max(number(pool, "replicas")+more, 0)
		less := max(number(pool, "replicas")-replicas, 0)
		w.surplus[name] += less
		time.AfterFunc(2*(lateness+requests), func() { w.locked(func() { w.surplus[name] -= less }) })
		pool.Data["replicas"], pool.Data["updated"] = strconv.Itoa(replicas), time.Now().String()
		if _, err := w.apis[pools].Update(pool); err != nil {
			w.Error(err)
		}
	})
}

// remove deletes machines of a pool, as a user. One that is not counted yet would never be counted.
func (w *world) remove(name string, n int) {
	w.locked(func() {
		pool, owned := read(name, w.objects)
		owned = slices.DeleteFunc(owned, func(machine configMap) bool { return number(machine, "number") > number(pool, "count") })
		for _, machine := range owned[max(len(owned)-n, 0):] {
			if _, err := w.apis[machines].Delete(key{Namespace: "ns", Name: machine.Name}); err != nil {
				w.Error(err)
			}
		}
	})
}

// elsewhere changes another namespace: informers learn of that resourceVersion by bookmarks only.
func (w *world) elsewhere() {
	for _, api := range w.apis {
		other := newPool(fmt.Sprintf("other-%016x", rand.Uint64()), 0)
		other.Namespace = "other"
		if _, err := api.Create(other); err != nil {
			w.Error(err)
		}
		if w.upTo(3) == 0 {
			api.Bookmark()
		}
	}
}

func randomDelays(w *world) {
	w.late = func(int, string) time.Duration { return w.upTo(w.upTo(lateness)) }
	w.slow = func() time.Duration { return w.upTo(300 * time.Millisecond) }
	w.loses = func() bool { return w.upTo(19) == 0 }
}

func disturb(w *world) {
	for range 40 {
		time.Sleep(w.upTo(40 * time.Second))
		w.elsewhere()
		name := fmt.Sprint("pool-", int(w.upTo(2)))
		switch w.upTo(6) {
		case 0, 1:
			w.scale(name, 1+int(w.upTo(2)))
		case 2:
			w.scale(name, -1-int(w.upTo(2)))
		case 3:
			w.scale(name, 0)
		case 4:
			w.remove(name, 1)
		case 5:
			w.locked(func() { w.end() })
		case 6:
			w.locked(func() { w.crashing = true })
		}
	}
}

// Watches are late, and leaders end or crash in the middle of a reconcile. Even so, no reconcile acts on a
// state from before an earlier write of the controller or of a former leader. A controller of client-go
// does, which shows that the observer notices.
func TestStale(t *testing.T) {
	seeds := *seeds
	for name, v := range map[string]variant{"naive": naive, "ours": ours, "queued": queued} {
		t.Run(name, func(t *testing.T) {
			all, first := findings{counts: map[string]int{}}, map[string]int{}
			for seed := range seeds {
				one := run(t, v, name == "naive", uint64(seed), randomDelays, disturb, newPool("pool-0", 1), newPool("pool-1", 3), newPool("pool-2", 0))
				for what, n := range one.counts {
					if all.counts[what] == 0 && n > 0 && what != writes && what != reconciles {
						first[what] = seed
					}
					all.counts[what] += n
				}
				all.extra, all.takeovers = append(all.extra, one.extra...), append(all.takeovers, one.takeovers...)
			}
			slices.Sort(all.extra)
			slices.Sort(all.takeovers)
			longest := all.extra[len(all.extra)-1]
			t.Logf("%d seeds: %v, first in seed %v", seeds, all.counts, first)
			t.Logf("extra latency: median %v, max %v; takeover: median %v, max %v", all.extra[len(all.extra)/2], longest,
				all.takeovers[len(all.takeovers)/2], all.takeovers[len(all.takeovers)-1])
			switch {
			case name == "naive" && (all.counts[duplicates] == 0 || all.counts[reverted] == 0 || all.counts[former] == 0):
				t.Error("the observer has not noticed what client-go does")
			case name != "naive" && all.wrong() > 0:
				t.Error("a reconcile has acted on the past")
			case name != "naive" && longest > lateness+requests:
				t.Errorf("a key has waited for %v", longest)
			}
		})
	}
}

// Bugs of real controllers.
func TestStaleHistory(t *testing.T) {
	for name, test := range map[string]struct {
		late   func(replica int, resource string) bool
		slow   time.Duration
		script func(w *world)
		shows  string
	}{
		"six machines for one": { // k0smotron
			late:   func(_ int, resource string) bool { return resource == machines },
			slow:   lateness / 22, // each machine takes two requests and their responses
			script: func(w *world) { w.scale("pool", 1) },
			shows:  duplicates,
		},
		"counter reverted": { // scylla-operator
			late: func(_ int, resource string) bool { return resource == pools },
			slow: 100 * time.Millisecond,
			script: func(w *world) {
				w.scale("pool", 3)
				time.Sleep(lateness + 5*time.Second)
				w.remove("pool", 2)
			},
			shows: reverted,
		},
		"two leaders": {
			late: func(replica int, _ string) bool { return replica == 1 },
			slow: 100 * time.Millisecond,
			script: func(w *world) {
				w.scale("pool", 3)
				time.Sleep(5 * time.Second)
				w.locked(func() { w.end() })
			},
			shows: former,
		},
	} {
		t.Run(name, func(t *testing.T) {
			delays := func(w *world) {
				w.slow, w.loses = func() time.Duration { return test.slow }, func() bool { return false }
				w.late = func(replica int, resource string) time.Duration {
					if test.late(replica, resource) {
						return lateness
					}
					return 0
				}
			}
			script := func(w *world) {
				time.Sleep(3 * lateness) // the first list is late, too
				test.script(w)
			}
			bad := run(t, naive, true, 0, delays, script, newPool("pool", 0))
			good := run(t, ours, false, 0, delays, script, newPool("pool", 0))
			t.Logf("naive: %v; ours: %v", bad.counts, good.counts)
			if bad.counts[test.shows] == 0 || good.wrong() > 0 {
				t.Errorf("naive must show %s, and ours nothing", test.shows)
			}
		})
	}
}
