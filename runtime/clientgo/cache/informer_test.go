package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
)

// podInformerFunc makes an informer of pods, indexed by namespace.
type podInformerFunc func(api *fakeAPI, resync time.Duration) SharedIndexInformer

func podInformer(api *fakeAPI, resync time.Duration) SharedIndexInformer {
	return NewSharedIndexInformer(api.listWatch(), &v1.Pod{}, resync, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
}

// onAll runs a test, in a bubble, with our untyped informers, our typed ones and client-go's: a user should
// not be able to tell them apart.
func onAll(t *testing.T, test func(t *testing.T, podInformer podInformerFunc)) {
	for name, newInformer := range map[string]podInformerFunc{
		"untyped": podInformer,
		"typed": func(api *fakeAPI, resync time.Duration) SharedIndexInformer {
			return typedPodInformer(api, resync)
		},
		"client-go's": func(api *fakeAPI, resync time.Duration) SharedIndexInformer {
			return cache.NewSharedIndexInformer(api.listWatch(), &v1.Pod{}, resync, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newInformer) })
		})
	}
}

func add(t *testing.T, informer SharedInformer, handler ResourceEventHandler, resync time.Duration) ResourceEventHandlerRegistration {
	t.Helper()
	handle, err := informer.AddEventHandlerWithResyncPeriod(handler, resync)
	if err != nil {
		t.Fatal(err)
	}
	return handle
}

// wantCalls compares the calls of a handler since the last time.
func wantCalls(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, r.take()); diff != "" {
		t.Errorf("handler calls (-want +got):\n%s", diff)
	}
}

func TestInformerFollowsTheAPI(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		api := newFakeAPI(pod("ns", "a", "", "web"))
		informer := podInformer(api, 0)
		early := &recorder{}
		handle := add(t, informer, early, 0)
		if informer.HasSynced() || handle.HasSynced() || informer.LastSyncResourceVersion() != "" || informer.IsStopped() {
			t.Error("in sync before the start")
		}
		stop := run(t, informer)
		if !WaitForCacheSync(t.Context().Done(), informer.HasSynced, handle.HasSynced, informer.GetController().HasSynced) ||
			!WaitFor(t.Context(), "test", checkerOf(informer), checkerOf(handle), checkerOf(informer.GetController())) {
			t.Error("not in sync")
		}
		wantCalls(t, early, "initial a=web")

		api.set(pod("ns", "b", "", "db"))
		api.set(pod("ns", "a", "", "cron"))
		api.delete("ns", "b")
		wantCalls(t, early, "add b=db", "update a=web a=cron", "delete b=db")
		if got := informer.LastSyncResourceVersion(); got != "4" || controllersHaveVersions && informer.GetController().LastSyncResourceVersion() != got {
			t.Errorf("resourceVersion %q", got)
		}
		if got, err := informer.GetIndexer().ByIndex(NamespaceIndex, "ns"); err != nil || !slices.Equal(names(got), []string{"ns/a"}) {
			t.Errorf("in the index: %v, %v", names(got), err)
		}
		if got := names(informer.GetStore().List()); !slices.Equal(got, []string{"ns/a"}) {
			t.Errorf("in the store: %v", got)
		}

		late, release := &recorder{}, make(chan struct{})
		lateHandle := add(t, informer, ResourceEventHandlerDetailedFuncs{AddFunc: func(obj any, initial bool) {
			<-release
			late.OnAdd(obj, initial)
		}}, 0)
		synctest.Wait()
		if lateHandle.HasSynced() {
			t.Error("a late handler is in sync before it has returned")
		}
		close(release)
		wantCalls(t, late, "initial a=cron")
		if !lateHandle.HasSynced() {
			t.Error("a late handler is not in sync after the initial list")
		}
		stop()
		if !informer.IsStopped() {
			t.Error("not stopped")
		}
	})
}

func TestMissedDeletionsAreTombstones(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		api := newFakeAPI(pod("ns", "a", "", "web"), pod("ns", "b", "", "db"))
		informer := podInformer(api, 0)
		defer run(t, informer)()
		r := &recorder{}
		add(t, informer, r, 0)
		synctest.Wait()
		r.take()
		api.disconnect(func() {
			api.delete("ns", "a")
			api.set(pod("ns", "b", "", "cron"))
		})
		time.Sleep(time.Minute)
		wantCalls(t, r, "gone ns/a a=web", "update b=db b=cron")
	})
}

func TestRemovedHandlers(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		api := newFakeAPI(pod("ns", "a", ""))
		informer, other := podInformer(api, 0), podInformer(api, 0)
		r, stays := &recorder{}, &recorder{}
		never := add(t, informer, r, 0)
		if err := shutDown(informer, never); err != nil {
			t.Errorf("before the start: %v", err)
		}
		defer run(t, informer)()
		handle, twin := add(t, informer, r, 0), add(t, informer, stays, 0)
		wantCalls(t, r, "initial a")
		wantCalls(t, stays, "initial a")

		if err := other.RemoveEventHandler(handle); err != nil {
			t.Errorf("from another informer: %v", err)
		}
		if err := informer.RemoveEventHandler(foreignHandle{}); err == nil || !strings.Contains(err.Error(), "invalid key type") {
			t.Errorf("a foreign handle: %v", err)
		}
		if err := shutDown(informer, handle); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := informer.RemoveEventHandler(handle); err != nil {
				t.Errorf("again: %v", err)
			}
		}
		api.set(pod("ns", "b", ""))
		wantCalls(t, r)
		wantCalls(t, stays, "add b")
		if !twin.HasSynced() {
			t.Error("the other handler is not in sync")
		}
	})
}

type foreignHandle struct {
	ResourceEventHandlerRegistration
}

func TestResyncs(t *testing.T) {
	for name, c := range map[string]struct {
		informer, before, after   time.Duration
		wantBefore, wantAfter     int // in a minute
		wantUnasked, wantDeclined int
	}{
		"informer without":     {0, time.Second, time.Second, 0, 0, 0, 0},
		"lowered, then raised": {30 * time.Second, 10 * time.Second, time.Second, 6, 6, 2, 0},
		"at least a second":    {time.Second, time.Millisecond, 20 * time.Second, 60, 3, 60, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onAll(t, func(t *testing.T, podInformer podInformerFunc) {
				informer := podInformer(newFakeAPI(pod("ns", "a", "")), c.informer)
				var before, after, unasked, declined recorder
				add(t, informer, &before, c.before)
				add(t, informer, &declined, 0)
				if _, err := informer.AddEventHandler(&unasked); err != nil {
					t.Fatal(err)
				}
				stop := run(t, informer)
				add(t, informer, &after, c.after)
				synctest.Wait()
				// The last tick of a minute is not a race with its end.
				time.Sleep(time.Minute + time.Millisecond)
				stop()
				for name, c := range map[string]struct {
					r    *recorder
					want int
				}{"before": {&before, c.wantBefore}, "after": {&after, c.wantAfter}, "unasked": {&unasked, c.wantUnasked}, "declined": {&declined, c.wantDeclined}} {
					calls := c.r.take()
					if got := len(calls) - 1; got != c.want || calls[0] != "initial a" {
						t.Errorf("%s: %d resyncs, want %d: %v", name, got, c.want, calls)
					}
				}
			})
		})
	}
}

// client-go lists again and again after an error of a transform.
func TestTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", "", "web"), pod("ns", "bad", ""), pod("ns", "odd", ""))
		informer := podInformer(api, 0)
		r := &recorder{}
		add(t, informer, r, 0)
		if err := informer.SetTransform(func(obj any) (any, error) {
			p := obj.(*v1.Pod)
			switch p.Name {
			case "bad":
				return nil, errors.New("bad")
			case "odd":
				return "not a runtime.Object", nil
			}
			p.Labels = nil
			return p, nil
		}); err != nil {
			t.Fatal(err)
		}
		defer run(t, informer)()
		wantCalls(t, r, "initial a")
		api.set(pod("ns", "b", "", "db"))
		wantCalls(t, r, "add b")
	})
}

// cluster is the result of a transform of a pod. It has metadata, and is no runtime.Object.
type cluster struct {
	metav1.ObjectMeta
	server string
}

func toCluster(obj any) (any, error) {
	p := obj.(*v1.Pod)
	return &cluster{ObjectMeta: p.ObjectMeta, server: p.Namespace + "." + p.Name}, nil
}

// A transform may return another type, which handlers, indexes and reads get: some
// programs store what they make of an object, such as a cluster of a Secret.
func TestTransformToAnotherType(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		api := newFakeAPI(pod("ns", "a", ""), pod("ns", "b", ""))
		informer := podInformer(api, 0)
		if err := informer.SetTransform(toCluster); err != nil {
			t.Fatal(err)
		}
		if err := informer.AddIndexers(Indexers{"server": func(obj any) ([]string, error) {
			return []string{obj.(*cluster).server}, nil
		}}); err != nil {
			t.Fatal(err)
		}
		var events []string
		if _, err := informer.AddEventHandler(ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { events = append(events, "add "+obj.(*cluster).server) },
			UpdateFunc: func(old, obj any) { events = append(events, "update "+old.(*cluster).server+" "+obj.(*cluster).server) },
			DeleteFunc: func(obj any) { events = append(events, "delete "+obj.(*cluster).server) },
		}); err != nil {
			t.Fatal(err)
		}
		defer run(t, informer)()
		synctest.Wait()
		api.set(pod("ns", "a", "", "web"))
		api.delete("ns", "b")
		synctest.Wait()
		slices.Sort(events[:2]) // of one list
		same(t, "events", events, []string{"add ns.a", "add ns.b", "update ns.a ns.a", "delete ns.b"})
		found, err := informer.GetIndexer().ByIndex("server", "ns.a")
		if err != nil || len(found) != 1 || found[0].(*cluster).server != "ns.a" {
			t.Errorf("by index: %v, %v", found, err)
		}
		if obj, ok, err := informer.GetStore().GetByKey("ns/a"); err != nil || !ok || obj.(*cluster).server != "ns.a" {
			t.Errorf("by key: %v, %v, %v", obj, ok, err)
		}
		if _, ok, err := informer.GetStore().Get(&cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}); err != nil || !ok {
			t.Errorf("by object: %v, %v", ok, err)
		}
	})
}

// Typed reads leave out objects that a transform has turned into another type: the memory of one type is
// never read as another type.
func TestTypedReadsOfAnotherType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, transform := range map[string]TransformFunc{
			"all": toCluster,
			"some": func(obj any) (any, error) {
				if obj.(*v1.Pod).Name == "a" {
					return toCluster(obj)
				}
				return obj, nil
			},
		} {
			informer := typedPodInformer(newFakeAPI(pod("ns", "a", ""), pod("ns", "b", "")), 0)
			if err := informer.SetTransform(transform); err != nil {
				t.Fatal(err)
			}
			stop := run(t, informer)
			synctest.Wait()
			store, ok := Core[*v1.Pod](informer)
			if !ok {
				t.Fatal("no core")
			}
			var want []string
			if name == "some" {
				want = []string{"b"}
			}
			read := func(what string, pods []*v1.Pod) {
				t.Helper()
				var got []string
				for _, p := range pods {
					got = append(got, p.Name)
				}
				same(t, name+": "+what, got, want)
			}
			read("List", store.Store().List())
			read("ListNamespace", store.Store().ListNamespace("ns"))
			read("All", slices.Collect(store.Store().All()))
			indexed, err := store.Store().ByIndex(NamespaceIndex, "ns")
			if err != nil {
				t.Error(err)
			}
			read("ByIndex", indexed)
			listed, err := listers.New[*v1.Pod](informer.GetIndexer(), v1.Resource("pods")).List(labels.Everything())
			if err != nil {
				t.Error(err)
			}
			read("lister", listed)
			if p, ok := store.Store().Get(types.NamespacedName{Namespace: "ns", Name: "a"}); ok {
				t.Errorf("%s: Get: %v", name, p)
			}
			if n := store.Store().Len(); n != 2 {
				t.Errorf("%s: %d objects", name, n)
			}
			stop()
		}
	})
}

// A transform that returns nil filters: what it leaves out is not in the store, or no
// longer, and is no failure. client-go keeps the state before, and logs an error.
func TestTransformThatFilters(t *testing.T) {
	for name, newInformer := range map[string]podInformerFunc{
		"untyped": podInformer,
		"typed": func(api *fakeAPI, resync time.Duration) SharedIndexInformer {
			return typedPodInformer(api, resync)
		},
	} {
		for result, none := range map[string]any{"nil": nil, "a nil pointer": (*v1.Pod)(nil)} {
			t.Run(name+", "+result, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := newFakeAPI(pod("ns", "a", ""), pod("ns", "b", "", "hidden"))
					informer := newInformer(api, 0)
					r := &recorder{}
					add(t, informer, r, 0)
					if err := informer.SetTransform(func(obj any) (any, error) {
						if strings.HasPrefix(obj.(*v1.Pod).Labels["role"], "hidden") {
							return none, nil
						}
						return obj, nil
					}); err != nil {
						t.Fatal(err)
					}
					defer run(t, informer)()
					wantCalls(t, r, "initial a")
					api.set(pod("ns", "c", ""))
					wantCalls(t, r, "add c")
					api.set(pod("ns", "b", "", "hidden", "still"))
					api.set(pod("ns", "a", "", "hidden"))
					wantCalls(t, r, "delete a")
					api.delete("ns", "a")
					api.set(pod("ns", "b", ""))
					wantCalls(t, r, "add b")
					api.disconnect(func() { api.set(pod("ns", "c", "", "hidden")) })
					time.Sleep(time.Minute)
					wantCalls(t, r, "gone ns/c c", "resync b")
					if got := names(informer.GetStore().List()); !slices.Equal(got, []string{"ns/b"}) {
						t.Errorf("in the store: %v", got)
					}
					if status, _ := StatusOf(informer); status.LastObjectError != nil {
						t.Errorf("reported: %v", status.LastObjectError)
					}
				})
			})
		}
	}
}

// Tests of other people's controllers make informers that are only read or filled.
func TestInformerOfNothing(t *testing.T) {
	for name, informer := range map[string]SharedIndexInformer{
		"ours":        NewSharedIndexInformer(nil, nil, 0, nil),
		"client-go's": cache.NewSharedIndexInformer(nil, nil, 0, nil),
	} {
		if _, ok, err := informer.GetIndexer().GetByKey("ns/a"); ok || err != nil {
			t.Errorf("%s: by key: %v, %v", name, ok, err)
		}
		if err := informer.GetStore().Add(pod("ns", "a", "")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(informer.GetIndexer().List()); !slices.Equal(got, []string{"ns/a"}) {
			t.Errorf("%s: in the store: %v", name, got)
		}
		if informer.HasSynced() || informer.IsStopped() {
			t.Errorf("%s: in sync or stopped before the start", name)
		}
	}
}

func TestSettingsAfterTheStart(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		informer := podInformer(newFakeAPI(), 0)
		stop := run(t, informer)
		const started = "informer has already started"
		wantError(t, informer.SetTransform(nil), started)
		wantError(t, informer.SetWatchErrorHandler(nil), started)
		wantError(t, informer.SetWatchErrorHandlerWithContext(DefaultWatchErrorHandler), started)
		informer.RunWithContext(t.Context()) // logs and returns
		stop()

		_, err := informer.AddEventHandler(ResourceEventHandlerFuncs{})
		if err == nil || !strings.HasSuffix(err.Error(), "was not added to shared informer because it has stopped already") {
			t.Errorf("adding a handler after the stop: %v", err)
		}
		wantError(t, informer.AddIndexers(Indexers{"role": byRole}), "indexer was not added because it has stopped already")
		informer.Run(nil) // logs and returns
	})
}

func TestWatchErrorHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", ""))
		boom := errors.New("boom")
		api.fail(boom)
		informer := podInformer(api, 0)
		var failures []error
		if err := informer.SetWatchErrorHandler(func(*Reflector, error) { t.Error("the last handler wins") }); err != nil {
			t.Fatal(err)
		}
		if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) {
			failures = append(failures, err)
			if r.Name() != "k8s.io/api/core/v1.Pod" || r.TypeDescription() != "*v1.Pod" {
				t.Errorf("reflector %q of %q", r.Name(), r.TypeDescription())
			}
		}); err != nil {
			t.Fatal(err)
		}
		stop := run(t, informer)
		if informer.HasSynced() || WaitForCacheSync(expired(t), informer.HasSynced) {
			t.Error("in sync without a list")
		}
		var syncErr *core.SyncError
		timeout, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := WaitForSync(timeout, informer); !errors.As(err, &syncErr) || !errors.Is(err, boom) {
			t.Errorf("WaitForSync: %v", err)
		}
		api.fail(nil)
		time.Sleep(5 * time.Minute)
		if !informer.HasSynced() {
			t.Error("not in sync after the failure")
		}
		stop()
		if len(failures) == 0 || !errors.Is(failures[0], boom) {
			t.Errorf("failures %v", failures)
		}
	})
}

// The watch error handler is for the failures for which client-go calls it.
func TestFailuresForTheHandler(t *testing.T) {
	refused := &url.Error{Op: "Get", URL: "https://api.test", Err: syscall.ECONNREFUSED}
	busy := apierrors.NewTooManyRequests("", 1)
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no role"))
	for _, c := range []struct {
		name string
		f    core.Failure
		want bool
	}{
		{"list refused by nobody there", core.Failure{Phase: core.PhaseListing, Err: refused}, true},
		{"list refused by a busy server", core.Failure{Phase: core.PhaseListing, Err: busy}, true},
		{"watch refused by nobody there", core.Failure{Phase: core.PhaseWatching, Err: refused}, false},
		{"watch refused by a busy server", core.Failure{Phase: core.PhaseWatching, Err: fmt.Errorf("watch: %w", busy)}, false},
		{"forbidden watch", core.Failure{Phase: core.PhaseWatching, Err: forbidden}, true},
		{"open watch that expired", core.Failure{Phase: core.PhaseWatching, Opened: true, Err: apierrors.NewResourceExpired("")}, false},
		{"watch-list refused by nobody there", core.Failure{Phase: core.PhaseStreaming, Err: refused}, false},
		{"forbidden watch-list", core.Failure{Phase: core.PhaseStreaming, Err: forbidden}, true},
		{"watch-list that was cut", core.Failure{Phase: core.PhaseStreaming, Opened: true, Err: io.ErrUnexpectedEOF}, false},
	} {
		if got := isForHandler(c.f); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A failure that is not for the watch error handler is logged.
func TestLogBesideTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", ""))
		informer := podInformer(api, 0)
		if err := informer.SetWatchErrorHandler(func(_ *Reflector, err error) { t.Errorf("handler: %v", err) }); err != nil {
			t.Fatal(err)
		}
		logger, logged := bufferedLogger(t)
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), 5*time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute, func() {
			api.fail(syscall.ECONNREFUSED)
			api.close()
		})
		informer.RunWithContext(ctx)
		if got := strings.Count(logged(), "ERROR List or watch failed"); got != 1 {
			t.Errorf("the refused connection is %d errors in the log, want one:\n%s", got, logged())
		}
	})
}

// expired is a stop channel that is closed after a second.
func expired(t *testing.T) <-chan struct{} {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx.Done()
}

func TestObjectsOfAnotherTypeAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", ""))
		informer := podInformer(api, 0)
		r := &recorder{}
		add(t, informer, r, 0)
		defer run(t, informer)()
		api.send(watch.Added, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "2"}})
		api.set(pod("ns", "b", ""))
		wantCalls(t, r, "initial a", "add b")
	})
}

func TestInformerStoppedBeforeItsSync(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		api := newFakeAPI()
		api.fail(errors.New("boom"))
		informer := podInformer(api, 0)
		handle := add(t, informer, &recorder{}, 0)
		run(t, informer)()
		if informer.HasSynced() || handle.HasSynced() {
			t.Error("in sync without a list")
		}
		if err := shutDown(informer, handle); err != nil {
			t.Error(err)
		}
	})
}

func TestCore(t *testing.T) {
	informer := podInformer(newFakeAPI(), 0)
	if _, ok := Core[runtime.Object](informer); !ok {
		t.Error("no core of our informer")
	}
	if _, ok := Core[*v1.Pod](informer); ok {
		t.Error("a core of another type")
	}
	if _, ok := Core[runtime.Object](cache.NewSharedIndexInformer(&ListWatch{}, &v1.Pod{}, 0, nil)); ok {
		t.Error("a core of client-go's informer")
	}
}

// Indexes can be added while the informer runs, by every way to them.
func TestIndexersAddedLate(t *testing.T) {
	onAll(t, func(t *testing.T, podInformer podInformerFunc) {
		informer := podInformer(newFakeAPI(pod("ns", "a", "", "web")), 0)
		defer run(t, informer)()
		if err := informer.AddIndexers(Indexers{"role": byRole}); err != nil {
			t.Fatal(err)
		}
		if got, err := informer.GetIndexer().ByIndex("role", "web"); err != nil || len(got) != 1 {
			t.Errorf("got %v, %v", got, err)
		}
		wantError(t, informer.AddIndexers(Indexers{"role": byRole}), "indexer conflict: map[role:{}]")
	})
}

// checkerOf is the checker of an informer, a controller or a handle, of client-go's informers only since 0.36.
func checkerOf(of any) DoneChecker {
	switch x := of.(type) {
	case interface{ HasSyncedChecker() DoneChecker }:
		return x.HasSyncedChecker()
	case interface{ HasSynced() bool }:
		synced := make(chan struct{})
		if x.HasSynced() {
			close(synced)
		}
		return doneChecker{done: synced}
	}
	return nil
}
