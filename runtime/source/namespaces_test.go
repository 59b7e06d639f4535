package source_test

import (
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/source"
)

type object = *metav1.PartialObjectMetadata

func named(namespace, name string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// following is an informer of several namespaces of an API, with a handler.
type following struct {
	*testing.T
	api        *cachetest.API[object]
	namespaces *source.Namespaces
	informer   *cache.Informer[object]
	seen       *cachetest.Recorder[object]
	stop       func() error
}

func follow(t *testing.T, api *cachetest.API[object], names ...string) *following {
	f := &following{T: t, api: api, namespaces: source.NewNamespaces(names...), seen: &cachetest.Recorder[object]{}}
	f.informer = cache.New(source.InNamespaces(f.namespaces, api.InNamespace), cache.Options[object]{
		Indexes: []cache.Index[object]{cache.NamespaceIndex[object]()},
	})
	if _, err := f.informer.AddHandler(f.seen, cache.HandlerOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.informer.Run(ctx) }()
	f.stop = func() error {
		cancel()
		return <-ended
	}
	return f
}

// has checks that the store, its index by namespace and the handler have those objects.
func (f *following) has(want ...string) {
	f.Helper()
	slices.Sort(want)
	stored, viewed, indexed := keysOf(f.informer.Store().Keys()), keysOf(slices.Collect(maps.Keys(f.seen.View()))), []string{}
	namespaces, _ := f.informer.Store().IndexValues("namespace")
	for _, namespace := range namespaces {
		for _, obj := range f.informer.Store().ListNamespace(namespace) {
			indexed = append(indexed, namespace+"/"+obj.Name)
		}
	}
	slices.Sort(indexed)
	for what, got := range map[string][]string{"the store": stored, "the index": indexed, "the handler": viewed} {
		if !slices.Equal(got, want) {
			f.Errorf("%s has %q, want %q", what, got, want)
		}
	}
	if err := f.seen.Err(); err != nil {
		f.Error(err)
	}
}

func keysOf(keys []types.NamespacedName) []string {
	all := make([]string, len(keys))
	for i, key := range keys {
		all[i] = key.String()
	}
	slices.Sort(all)
	return all
}

// A namespace that comes later does not wait for a closing bookmark that the server has not sent
// for others.
func TestNamespacesWithoutWatchLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
		f := follow(t, api, "a")
		time.Sleep(time.Minute)
		f.namespaces.Set("a", "b")
		time.Sleep(time.Second)
		synctest.Wait()
		f.has("a/1", "b/1")
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestNamespacesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"), named("c", "1"))
		f := follow(t, api, "a", "b", "b")
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.has("a/1", "b/1")
		for _, e := range f.seen.Events() {
			if !e.Initial {
				t.Errorf("%v is not initial", e)
			}
		}
		change := func(obj object, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		change(api.Create(named("a", "2")))
		change(api.Create(named("c", "2")))
		change(api.Delete(types.NamespacedName{Namespace: "b", Name: "1"}))
		f.has("a/1", "a/2")

		f.namespaces.Set("a", "c")
		synctest.Wait()
		f.has("a/1", "a/2", "c/1", "c/2")
		f.namespaces.Set("c")
		synctest.Wait()
		f.has("c/1", "c/2")
		f.namespaces.Set()
		synctest.Wait()
		f.has()
		if watches := api.Watches(); watches != 0 {
			t.Errorf("%d watches of no namespace", watches)
		}
		f.namespaces.Set("a")
		f.namespaces.Set()
		f.namespaces.Set("a")
		synctest.Wait()
		f.has("a/1", "a/2")
		if err := f.stop(); err != nil {
			t.Error(err)
		}
		f.has("a/1", "a/2")
	})
}

func TestNoNamespacesAreInSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, cachetest.NewAPI(named("a", "1")))
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.namespaces.Set("a")
		synctest.Wait()
		f.has("a/1")
		if status := f.informer.Status(); !status.Synced || status.Phase != cache.PhaseWatching || len(status.Namespaces) != 1 {
			t.Errorf("status: %+v", status)
		}
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A namespace that is forbidden does not concern the others, and the status names it.
func TestForbiddenNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == "b" }, Times: -1, Err: cachetest.Status(403)})
		f := follow(t, api, "a", "b")
		early, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := f.informer.WaitForSync(early); err == nil {
			t.Error("in sync at the first refusal: a server that has just started refuses too")
		}
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.has("a/1")
		status := f.informer.Status()
		if status.Phase != cache.PhaseBackingOff || status.LastError == nil || len(status.Namespaces) != 2 {
			t.Fatalf("status: %+v", status)
		}
		if a, b := status.Namespaces[0], status.Namespaces[1]; a.Name != "a" || a.Phase != cache.PhaseWatching || !a.Synced ||
			b.Name != "b" || b.Phase != cache.PhaseBackingOff || b.Synced || b.LastError == nil {
			t.Errorf("status of the namespaces: %+v and %+v", a, b)
		}
		time.Sleep(10 * time.Minute)
		if err := f.informer.HealthCheck(6 * time.Minute)(nil); err != nil {
			t.Errorf("health: %v", err)
		}
		f.has("a/1")
		api.ClearFaults()
		time.Sleep(2 * time.Minute)
		f.has("a/1", "b/1")
		if status := f.informer.Status(); status.Phase != cache.PhaseWatching || status.LastError != nil || !status.Namespaces[1].Synced {
			t.Errorf("status: %+v", status)
		}
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// An informer goes on without a namespace only if the server refuses it, several times in a row.
// What an absent resource, or credentials that are not accepted, keep from it may be all there is.
func TestNamespacesAreAwaited(t *testing.T) {
	of := func(namespace string, times int, err error) cachetest.Fault {
		return cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == namespace }, Times: times, Err: err}
	}
	for _, test := range []struct {
		name   string
		faults []cachetest.Fault
		absent bool
		phase  cache.Phase
		synced bool
		then   []string
	}{
		{"absent resource", nil, true, cache.PhaseAbsent, false, nil},
		{"absent in one namespace", []cachetest.Fault{of("b", -1, cachetest.Status(404))}, false, cache.PhaseAbsent, false, []string{"a/1", "b/1"}},
		{"credentials that are not accepted", []cachetest.Fault{of("a", -1, cachetest.Status(401)), of("b", -1, cachetest.Status(401))}, false, cache.PhaseBackingOff, false, []string{"a/1", "b/1"}},
		{"refused once after other failures", []cachetest.Fault{of("b", 4, cachetest.Status(503)), of("b", 2, cachetest.Status(403)), of("b", -1, cachetest.Status(503))}, false, cache.PhaseBackingOff, false, []string{"a/1", "b/1"}},
		{"forbidden", []cachetest.Fault{of("b", -1, cachetest.Status(403))}, false, cache.PhaseBackingOff, true, []string{"a/1", "b/1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
				if test.absent {
					api.Uninstall()
				}
				api.Fail(test.faults...)
				f := follow(t, api, "a", "b")
				waiting, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := f.informer.WaitForSync(waiting); (err == nil) != test.synced {
					t.Errorf("in sync: %v", err)
				}
				if status := f.informer.Status(); status.Phase != test.phase || status.Synced != test.synced {
					t.Errorf("status: %v, in sync %v", status, status.Synced)
				}
				api.ClearFaults()
				api.Install()
				time.Sleep(2 * time.Minute)
				if err := f.informer.WaitForSync(t.Context()); err != nil {
					t.Error(err)
				}
				f.has(test.then...)
				if err := f.stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// logBuffer is an io.Writer for many goroutines.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// An outage is over when all namespaces work again, but for one that is forbidden.
func TestRecoveryOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"), named("c", "1"))
		of := func(namespace string) func(cachetest.Request) bool {
			return func(r cachetest.Request) bool { return r.Namespace == namespace }
		}
		api.Fail(cachetest.Fault{If: of("c"), Times: -1, Err: cachetest.Status(403)})
		informer := cache.New(source.InNamespaces(source.NewNamespaces("a", "b", "c"), api.InNamespace), cache.Options[object]{})
		var log logBuffer
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logger))
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		time.Sleep(time.Minute)
		api.Fail(cachetest.Fault{If: of("a"), Times: 3, Err: cachetest.Status(503)}, cachetest.Fault{If: of("b"), Times: 6, Err: cachetest.Status(503)})
		api.BreakWatches(errors.New("cut"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if recoveries := strings.Count(log.String(), "works again"); recoveries != 1 {
			t.Errorf("%d recoveries were reported", recoveries)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A namespace whose watches are cut, which is not reported, does not keep the end of an outage
// of another one from being reported.
func TestRecoveryBesideCutWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		informer := cache.New(source.InNamespaces(source.NewNamespaces("a", "b"), api.InNamespace), cache.Options[object]{
			DisableWatchList: true,
		})
		var log logBuffer
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logger))
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		time.Sleep(time.Minute)
		api.Fail(
			cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == "a" }, Times: 3, Err: cachetest.Status(503)},
			cachetest.Fault{Verb: cachetest.Watch, If: func(r cachetest.Request) bool { return r.Namespace == "b" }, Times: -1, Opened: true, Err: io.EOF},
		)
		api.BreakWatches(errors.New("cut"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if recoveries := strings.Count(log.String(), "works again"); recoveries != 1 {
			t.Errorf("%d recoveries were reported", recoveries)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// The store has reached a version when it has in each namespace.
func TestResourceVersionOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		f := follow(t, api, "a", "b")
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		created, err := api.Create(named("a", "2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.informer.WaitForWrite(t.Context(), created); err != nil {
			t.Errorf("a has what was written: %v", err)
		}
		if err := f.informer.WaitForWrite(t.Context(), named("c", "1")); err == nil || !strings.Contains(err.Error(), `namespace "c" is not one`) {
			t.Errorf("another namespace: %v", err)
		}
		early, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := f.informer.WaitForResourceVersion(early, created.ResourceVersion); err == nil {
			t.Error("b is at that version without a word of the server")
		}
		api.Bookmark()
		if err := f.informer.WaitForResourceVersion(t.Context(), created.ResourceVersion); err != nil {
			t.Error(err)
		}
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// After a restore of etcd, versions are lower than before, and those from before count no more.
func TestVersionsAfterRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		backup := api.ResourceVersion()
		f := follow(t, api, "a", "b")
		for i := range 20 {
			if _, err := api.Create(named("a", fmt.Sprint("lost", i))); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		api.Bookmark()
		synctest.Wait()
		if err := api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		f.has("a/1", "b/1")
		if got, status := f.informer.Store().ResourceVersion(), f.informer.Status(); got != backup || status.ResourceVersion != backup {
			t.Errorf("store is at %s, informer at %s; want %s", got, status.ResourceVersion, backup)
		}
		created, err := api.Create(named("a", "2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.informer.WaitForWrite(t.Context(), created); err != nil {
			t.Error(err)
		}
		if _, exists := f.informer.Store().Get(types.NamespacedName{Namespace: "a", Name: "2"}); !exists {
			t.Error("store has no object that was waited for")
		}
		written := named("a", "3")
		for i, version := range []string{"10", "20"} { // versions that were reached before the restore
			written.ResourceVersion = version
			early, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := f.informer.WaitForWrite(early, written); err == nil {
				t.Errorf("%d: store is said to have a write of version %s at %s", i, version, api.ResourceVersion())
			}
			cancel()
		}
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// After a restore, each namespace is compared with its own history: one that has not listed again has
// nothing of what the server has now, however late its version is.
func TestLatestAfterRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		backup := api.ResourceVersion()
		f := follow(t, api, "a", "b")
		for i := range 20 {
			if _, err := api.Create(named("b", fmt.Sprint("lost", i))); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		api.Bookmark()
		synctest.Wait()
		api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == "b" }, Times: -1, Err: cachetest.Status(500)})
		if err := api.Restore(backup); err != nil {
			t.Fatal(err)
		}
		api.BreakWatches(errors.New("cut"))
		time.Sleep(10 * time.Minute)
		if _, err := api.Create(named("b", "2")); err != nil {
			t.Fatal(err)
		}
		if err := f.informer.WaitForLatest(t.Context()); !errors.Is(err, failure.ErrHistoryRestarted) {
			t.Errorf("latest: %v; the store has %q", err, keysOf(f.informer.Store().Keys()))
		}
		api.ClearFaults()
		time.Sleep(10 * time.Minute)
		if err := f.informer.WaitForLatest(t.Context()); err != nil {
			t.Error(err)
		}
		f.has("a/1", "b/1", "b/2")
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// A version is waited for where it can come: not in a namespace that is refused, from the
// start or since, and not if there is no namespace.
func TestWaitForVersionBesideRefusedNamespaces(t *testing.T) {
	for _, test := range []struct {
		name    string
		follows []string
		early   bool // whether the refusals begin before the first list
		refused []string
	}{
		{"one from the start", []string{"a", "b"}, true, []string{"b"}},
		{"one later", []string{"a", "b"}, false, []string{"b"}},
		{"all", []string{"a", "b"}, true, []string{"a", "b"}},
		{"no namespace", nil, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
				refuse := func() {
					api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return slices.Contains(test.refused, r.Namespace) }, Times: -1, Err: cachetest.Status(403)})
				}
				if test.early {
					refuse()
				}
				f := follow(t, api, test.follows...)
				if err := f.informer.WaitForSync(t.Context()); err != nil {
					t.Fatal(err)
				}
				refuse()
				api.BreakWatches(errors.New("cut"))
				time.Sleep(time.Minute)
				created, err := api.Create(named("a", "2"))
				if err != nil {
					t.Fatal(err)
				}
				waiting, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := f.informer.WaitForResourceVersion(waiting, created.ResourceVersion); err != nil {
					t.Error(err)
				}
				for _, namespace := range test.refused {
					obj := named(namespace, "2")
					obj.ResourceVersion = created.ResourceVersion
					if err := f.informer.WaitForWrite(waiting, obj); !apierrors.IsForbidden(err) {
						t.Errorf("write into namespace %s, which is refused: %v", namespace, err)
					}
				}
				if err := f.informer.WaitForResourceVersion(t.Context(), "x"); err == nil {
					t.Error("x is a version")
				}
				api.ClearFaults()
				time.Sleep(2 * time.Minute)
				if created, err = api.Create(named("a", "3")); err != nil {
					t.Fatal(err)
				}
				early, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := f.informer.WaitForResourceVersion(early, created.ResourceVersion); (err == nil) != (len(test.follows) == 0) {
					t.Errorf("b has no word of that version, and is not refused any more: %v", err)
				}
				if err := f.stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A wait for the latest state ends when the namespace leaves that it still waits for.
func TestLatestWithoutNamespaceThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		f := follow(t, api, "a", "b")
		if err := f.informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == "b" }, Times: -1, Err: cachetest.Status(500)})
		api.BreakWatches(errors.New("cut"))
		if _, err := api.Create(named("a", "2")); err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error, 1)
		go func() { waiting <- f.informer.WaitForLatest(t.Context()) }()
		time.Sleep(10 * time.Minute)
		select {
		case err := <-waiting:
			t.Fatalf("over before: %v", err)
		default:
		}
		f.namespaces.Set("a")
		if err := <-waiting; err != nil {
			t.Error(err)
		}
		synctest.Wait() // for the handler
		f.has("a/1", "a/2")
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
}

// knownSource is a source that says what it is.
type knownSource struct{ cache.Objects }

func (knownSource) Describe() cache.SourceInfo {
	return cache.SourceInfo{Type: reflect.TypeFor[object](), Resource: schema.GroupVersionResource{Resource: "things"}, Namespace: "of one", Client: "the client"}
}

// A source of no namespace yet is as well known as any: writes through its client are awaited, and its
// objects have a type.
func TestDescriptionOfNoNamespaces(t *testing.T) {
	known := func(string) cache.Source[object] { return cache.Source[object]{Objects: knownSource{}} }
	want := knownSource{}.Describe()
	got := source.InNamespaces(source.NewNamespaces(), known).Describe()
	if got.Resource != want.Resource || got.Type != want.Type || got.Client != want.Client || got.Namespace != "" {
		t.Errorf("%+v, want what %+v says", got, want)
	}
	nothing := source.InNamespaces(source.NewNamespaces(), func(string) (none cache.Source[object]) { return none }).Describe()
	if nothing.Scopes == nil {
		t.Errorf("%+v has no scopes", nothing)
	}
}

// Before the start, nothing is known of namespaces, and both kinds of waiting wait.
func TestWaitBeforeNamespacesAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"))
		informer := cache.New(source.InNamespaces(source.NewNamespaces("a"), api.InNamespace), cache.Options[object]{})
		waiting := make(chan error)
		go func() { waiting <- informer.WaitForWrite(t.Context(), api.Objects()[0]) }()
		go func() { waiting <- informer.WaitForResourceVersion(t.Context(), api.ResourceVersion()) }()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		for range 2 {
			if err := <-waiting; err != nil {
				t.Error(err)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestNamespaceSetsThatAreWrong(t *testing.T) {
	typed := func(namespace string) cache.Source[object] { return cachetest.NewAPI[object]().InNamespace(namespace) }
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, cachetest.NewAPI[object](), "a", "")
		time.Sleep(time.Second)
		if err := f.stop(); err == nil || !strings.Contains(err.Error(), `namespace ""`) {
			t.Errorf("the empty namespace: %v", err)
		}
	})
	all := source.InNamespaces(source.NewNamespaces("a"), typed)
	if _, err := all.Watch(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("several namespaces were watched at once")
	}
	if _, err := all.List(t.Context(), metav1.ListOptions{}, nil); err == nil {
		t.Error("several namespaces were listed at once")
	}
	synctest.Test(t, func(t *testing.T) {
		// A source that does not look at the namespace.
		api := cachetest.NewAPI(named("a", "1"), named("b", "1"))
		in := func(string) cache.Source[object] { return api.Source() }
		informer := cache.New(source.InNamespaces(source.NewNamespaces("a"), in), cache.Options[object]{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		synctest.Wait()
		if keys := keysOf(informer.Store().Keys()); !slices.Equal(keys, []string{"a/1"}) || informer.Status().ObjectErrors == 0 {
			t.Errorf("the store has %q, status %+v", keys, informer.Status())
		}
		stop()
		<-ended
	})
}

// What wraps a source of several namespaces is around each of them.
func TestWrappedNamespaces(t *testing.T) {
	api := cachetest.NewAPI(named("a", "1"))
	all := source.InNamespaces(source.NewNamespaces("a"), api.InNamespace)
	called := 0
	wrapped := source.Tweak(all, func(*metav1.ListOptions) { called++ })
	info := wrapped.Describe()
	scopes, _ := info.Scopes()
	part := info.In(types.NamespacedName{Namespace: "a"})
	if !slices.Equal(scopes, []types.NamespacedName{{Namespace: "a"}}) {
		t.Fatalf("description: %+v of %v", info, scopes)
	}
	called = 0 // after the descriptions
	listed := 0
	if _, err := part.List(t.Context(), metav1.ListOptions{}, func(any, error) { listed++ }); err != nil || called != 1 || listed != 1 {
		t.Errorf("%d objects, %v; tweaked %d times", listed, err, called)
	}
}

// Namespaces follow Namespace objects by their labels.
func TestFollowNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		labelled := func(name, team string) object {
			obj := named("", name)
			obj.Labels = map[string]string{"team": team}
			return obj
		}
		api := cachetest.NewAPI(labelled("a", "red"), labelled("b", "blue"))
		informer := cache.New(api.Source(), cache.Options[object]{})
		namespaces := source.NewNamespaces()
		if _, err := source.Follow(namespaces, informer, labels.SelectorFromSet(labels.Set{"team": "red"})); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		check := func(err error, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := namespaces.Names(); err != nil || !slices.Equal(got, want) {
				t.Errorf("namespaces %q, %v; want %q", got, err, want)
			}
		}
		check(nil, "a")
		_, err := api.Create(labelled("c", "red"))
		check(err, "a", "c")
		_, err = api.Update(labelled("b", "red"))
		check(err, "a", "b", "c")
		_, err = api.Update(labelled("a", "blue"))
		check(err, "b", "c")
		_, err = api.Delete(types.NamespacedName{Name: "b"})
		check(err, "c")
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A set that was not empty follows namespaces of which there are none, too.
func TestFollowNoNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := cache.New(cachetest.NewAPI[object]().Source(), cache.Options[object]{})
		namespaces := source.NewNamespaces("before")
		if _, err := source.Follow(namespaces, informer, labels.Everything()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		synctest.Wait()
		if got := namespaces.Names(); len(got) > 0 {
			t.Errorf("namespaces %q", got)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Whatever comes and goes, objects and namespaces, with faults in between: in the end the
// store has what the API has in those namespaces, and so does the handler.
func TestRandomNamespaces(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomNamespaces(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func randomNamespaces(t *testing.T, random *rand.Rand) {
	all := []string{"a", "b", "c", "d"}
	subset := func() (some []string) {
		for _, namespace := range all {
			if random.IntN(2) == 0 {
				some = append(some, namespace)
			}
		}
		return some
	}
	api := cachetest.NewAPI[object]()
	for _, namespace := range subset() {
		if _, err := api.Create(named(namespace, "0")); err != nil {
			t.Fatal(err)
		}
	}
	f := follow(t, api, subset()...)
	backup := api.ResourceVersion()
	for range 60 {
		key := types.NamespacedName{Namespace: all[random.IntN(len(all))], Name: fmt.Sprint(random.IntN(4))}
		switch random.IntN(10) {
		case 8:
			backup = api.ResourceVersion()
		case 9:
			// No informer can see a restore once there are later versions than those that it has seen.
			_ = api.Restore(backup) // an error if it is lost to a compaction
			time.Sleep(15 * time.Minute)
		case 0:
			f.namespaces.Set(subset()...)
		case 1:
			_, _ = api.Delete(key)
		case 2:
			api.BreakWatches(errors.New("cut"))
		case 3:
			refused := key.Namespace
			api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == refused }, Times: 1 + random.IntN(5), Err: cachetest.Status(403)})
		case 4:
			api.Compact()
			api.CloseWatches()
		case 5:
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
		default:
			if _, err := api.Update(named(key.Namespace, key.Name)); err != nil {
				_, _ = api.Create(named(key.Namespace, key.Name))
			}
		}
	}
	api.ClearFaults()
	time.Sleep(15 * time.Minute)
	for _, namespace := range f.namespaces.Names() {
		written, err := api.Create(named(namespace, "written"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.informer.WaitForWrite(t.Context(), written); err != nil {
			t.Error(err)
		}
		if got, _ := f.informer.Store().Get(types.NamespacedName{Namespace: namespace, Name: "written"}); got == nil {
			t.Errorf("store has no object of %s that was waited for", namespace)
		}
	}
	api.Bookmark()
	synctest.Wait()
	if got, want := f.informer.Status().ResourceVersion, api.ResourceVersion(); got != want && len(f.namespaces.Names()) > 0 {
		t.Errorf("informer is at version %s, API at %s", got, want)
	}
	var want []string
	for _, obj := range api.Objects() {
		if slices.Contains(f.namespaces.Names(), obj.Namespace) {
			want = append(want, obj.Namespace+"/"+obj.Name)
		}
	}
	f.has(want...)
	for key, seen := range f.seen.View() {
		if stored, _ := f.informer.Store().Get(key); !reflect.DeepEqual(stored, seen) {
			t.Errorf("%s: the handler has %v, the store %v", key, seen, stored)
		}
	}
	if err := f.stop(); err != nil {
		t.Error(err)
	}
}

// What is confirmed is of a namespace that the informer follows, and the latest state is that of each
// of them.
func TestConfirmInNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(named("a", "1"))
		informer := cache.New(source.InNamespaces(source.NewNamespaces("a", "empty"), api.InNamespace), cache.Options[object]{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		if err := informer.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if _, exists, err := informer.Confirm(ctx, types.NamespacedName{Namespace: "a", Name: "1"}); !exists || err != nil {
			t.Errorf("got %v, %v", exists, err)
		}
		if _, _, err := informer.Confirm(ctx, types.NamespacedName{Namespace: "b", Name: "1"}); err == nil {
			t.Error("of another namespace: no error")
		}
		if _, err := api.Create(named("a", "2")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := informer.WaitForLatest(ctx); err != nil || time.Since(began) != time.Second || informer.Store().Len() != 2 {
			t.Errorf("latest: %v after %v, %d objects", err, time.Since(began), informer.Store().Len())
		}
		stop()
		<-ended
	})
}
