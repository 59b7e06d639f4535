package conformance

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// world is a namespace of pods, and an informer of it that does not run yet.
type world struct {
	*T
	api      *cachetest.API[*v1.Pod]
	lw       *listWatch
	informer cache.SharedIndexInformer
}

// listing returns a world whose informer lists and then watches. The first pod
// has the resourceVersion 2, the next one 3, and so on.
func (t *T) listing(pods ...string) *world {
	t.Helper()
	return t.world(true, cache.SharedIndexInformerOptions{}, pods)
}

// streaming returns a world whose informer asks for a watch-list.
func (t *T) streaming(pods ...string) *world {
	t.Helper()
	return t.world(false, cache.SharedIndexInformerOptions{}, pods)
}

// resyncing returns a world whose informer lists, and resyncs its handlers.
func (t *T) resyncing(period time.Duration, pods ...string) *world {
	t.Helper()
	return t.world(true, cache.SharedIndexInformerOptions{ResyncPeriod: period}, pods)
}

func (t *T) world(listOnly bool, options cache.SharedIndexInformerOptions, pods []string) *world {
	t.Helper()
	w := &world{T: t, api: cachetest.NewAPI[*v1.Pod]()}
	for _, name := range pods {
		w.create(name)
	}
	w.lw = t.listWatch(w.api, metav1.NamespaceAll)
	w.lw.listOnly = listOnly
	options.Indexers = cache.Indexers{}
	w.informer = t.newInformer(w.lw, options)
	return w
}

// listWatch lists and watches the pods of an API over HTTP, as client-go's clients do.
type listWatch struct {
	*cache.ListWatch
	listOnly bool
	source   core.Source[*v1.Pod]
}

func (l *listWatch) IsWatchListSemanticsUnSupported() bool { return l.listOnly }

// Source is for implementations that have typed sources.
func (l *listWatch) Source() core.Source[*v1.Pod] { return l.source }

func (t *T) listWatch(api *cachetest.API[*v1.Pod], namespace string) *listWatch {
	t.Helper()
	server := cachetest.NewServer()
	cachetest.Serve(server, v1.SchemeGroupVersion.WithResource("pods"), "Pod", api)
	client, err := corev1client.NewForConfig(&rest.Config{Transport: server, QPS: -1})
	t.check(err)
	return &listWatch{
		ListWatch: cache.NewListWatchFromClient(client.RESTClient(), "pods", namespace, fields.Everything()),
		source:    api.InNamespace(namespace),
	}
}

// newInformer returns an informer of pods.
func (t *T) newInformer(lw cache.ListerWatcher, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	t.Helper()
	return t.newInformerOf(lw, &v1.Pod{}, options)
}

// newInformerOf returns an informer of what the example is one of.
func (t *T) newInformerOf(lw cache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	t.Helper()
	if t.impl.NewSharedIndexInformer == nil {
		t.Fatal("there is no NewSharedIndexInformer")
	}
	return t.impl.NewSharedIndexInformer(lw, example, options)
}

// watchErrors collects what the informer tells its watch error handler. It may
// be read when all is settled.
func (w *world) watchErrors() *[]error { return w.watchErrorsOf(w.informer) }

func (t *T) watchErrorsOf(informer cache.SharedIndexInformer) *[]error {
	t.Helper()
	var errs []error
	t.check(informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { errs = append(errs, err) }))
	return &errs
}

// start runs something until the returned function is called, or the case ends,
// and lets it begin.
func (t *T) start(run func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	synctest.Wait()
	return stop
}

func (w *world) run() (stop func()) {
	w.Helper()
	return w.start(w.informer.RunWithContext)
}

// pass lets time pass, and whatever happens in it.
func (t *T) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func pod(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
}

// podAt returns a pod as it comes from a server.
func podAt(name, resourceVersion string) *v1.Pod {
	p := pod(name)
	p.UID, p.ResourceVersion = types.UID(name), resourceVersion
	return p
}

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

// names returns the names a0000, a0001 and so on.
func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("a%04d", i)
	}
	return all
}

// create, update and delete change the API. Each raises its resourceVersion.
func (w *world) create(name string) {
	w.Helper()
	_, err := w.api.Create(pod(name))
	w.check(err)
}

func (w *world) update(name string) {
	w.Helper()
	p, err := w.api.Get(key(name))
	w.check(err)
	p.Labels = map[string]string{"changed-after": p.ResourceVersion}
	_, err = w.api.Update(p)
	w.check(err)
}

func (w *world) delete(name string) {
	w.Helper()
	_, err := w.api.Delete(key(name))
	w.check(err)
}

// check ends the case if there is an error.
func (t *T) check(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal compares what there is with what there should be.
func (t *T) equal(what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantRequests compares what the API was asked since the last time: the verb,
// the resourceVersion ("-" for none), the limit, and whether it is a further
// page.
func (w *world) wantRequests(want ...string) {
	w.Helper()
	synctest.Wait()
	w.equal("requests", w.requests(), want)
}

func (w *world) requests() []string {
	var all []string
	for _, r := range w.api.Requests() {
		line := string(r.Verb) + " -"
		if version := r.Options.ResourceVersion; version != "" {
			line = string(r.Verb) + " " + version
		}
		if r.Options.Limit != 0 {
			line += fmt.Sprintf(" limit %d", r.Options.Limit)
		}
		if r.Options.Continue != "" {
			line += " continued"
		}
		all = append(all, line)
	}
	w.api.ResetRequests()
	return all
}

// relist makes the informer list again: its watch ends with 410 Expired, when it has been open
// for a while, and change is made before it can list.
func (w *world) relist(change func()) {
	w.Helper()
	w.pass(2 * time.Second)
	w.api.BreakWatches(expired)
	change()
	w.pass(time.Minute)
}

var expired = cachetest.Status(http.StatusGone)

// wantStored compares the keys and resourceVersions of an informer's store.
func (w *world) wantStored(want ...string) {
	w.Helper()
	synctest.Wait()
	w.equal("store", stored(w.informer.GetStore()), want)
}

func stored(store cache.Store) []string { return describeAll(store.List()) }

// describeAll describes objects, in order of the descriptions.
func describeAll(objs []any) []string {
	var all []string
	for _, obj := range objs {
		all = append(all, describe(obj))
	}
	slices.Sort(all)
	return all
}

// describe returns name@resourceVersion.
func describe(obj any) string {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return "tombstone of " + unknown.Key
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return fmt.Sprint(obj)
	}
	return m.GetName() + "@" + m.GetResourceVersion()
}

// recorder is a handler that records its calls: "initial a@2",
// "add b@3", "update a@2 a@4", "resync a@4" for an update without a change,
// "delete a@5", and "gone a@2" for a tombstone.
type recorder struct {
	*T
	// hook, if there is one, is called for each event.
	hook func(event string)

	mu     sync.Mutex
	events []string
}

// handle adds a recorder to the informer.
func (w *world) handle() *recorder {
	w.Helper()
	r := &recorder{T: w.T}
	w.add(r)
	return r
}

// add adds a handler to the informer.
func (w *world) add(handler cache.ResourceEventHandler) cache.ResourceEventHandlerRegistration {
	w.Helper()
	handle, err := w.informer.AddEventHandler(handler)
	w.check(err)
	return handle
}

// addResynced adds a handler with a resync period of its own.
func (w *world) addResynced(handler cache.ResourceEventHandler, period time.Duration) cache.ResourceEventHandlerRegistration {
	w.Helper()
	handle, err := w.informer.AddEventHandlerWithResyncPeriod(handler, period)
	w.check(err)
	return handle
}

func (r *recorder) OnAdd(obj any, initial bool) {
	if initial {
		r.note("initial " + describe(obj))
		return
	}
	r.note("add " + describe(obj))
}

func (r *recorder) OnUpdate(old, obj any) {
	if describe(old) == describe(obj) {
		r.note("resync " + describe(obj))
		return
	}
	r.note("update " + describe(old) + " " + describe(obj))
}

func (r *recorder) OnDelete(obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		r.note("gone " + describe(unknown.Obj))
		return
	}
	r.note("delete " + describe(obj))
}

func (r *recorder) note(event string) {
	r.mu.Lock()
	r.events = append(r.events, event)
	r.mu.Unlock()
	if r.hook != nil {
		r.hook(event)
	}
}

// take returns the events since the last time.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// want compares the events since the last time.
func (r *recorder) want(want ...string) {
	r.Helper()
	synctest.Wait()
	r.equal("handler", r.take(), want)
}

// wantUnordered compares the events since the last time, whatever their order.
func (r *recorder) wantUnordered(want ...string) {
	r.Helper()
	synctest.Wait()
	got := r.take()
	slices.Sort(got)
	slices.Sort(want)
	r.equal("handler", got, want)
}

// quietly runs what panics, and what logs it, without the log.
func (t *T) quietly(run func()) {
	handlers := utilruntime.PanicHandlers
	defer func() { utilruntime.PanicHandlers = handlers }()
	utilruntime.PanicHandlers = nil
	run()
}

// versioned is a store that knows the resourceVersion of its state, as client-go's stores do since 0.36.
type versioned interface {
	Bookmark(resourceVersion string)
	LastStoreSyncResourceVersion() string
}

func (t *T) versioned(store any) versioned {
	t.Helper()
	v, ok := store.(versioned)
	if !ok {
		t.Fatalf("%T has no resourceVersion", store)
	}
	return v
}

func (t *T) versionOf(store any) string { return t.versioned(store).LastStoreSyncResourceVersion() }

// checkerOf returns the checker of an informer or a handle. client-go's have one since 0.36.
func (t *T) checkerOf(of any) doneChecker {
	t.Helper()
	x, ok := of.(interface{ HasSyncedChecker() doneChecker })
	if !ok {
		t.Fatalf("%T has no checker", of)
	}
	return x.HasSyncedChecker()
}
