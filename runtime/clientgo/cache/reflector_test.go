package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// diary is a store that records the calls of a reflector.
type diary struct {
	mu    sync.Mutex
	lines []string
}

var (
	_ ReflectorStore         = (*diary)(nil)
	_ ReflectorBookmarkStore = (*diary)(nil)
	_ ResourceVersionUpdater = (*diary)(nil)
)

func (d *diary) write(words ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, strings.TrimSpace(fmt.Sprintln(words...)))
	return nil
}

// read returns what was written since the last read.
func (d *diary) read() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { d.lines = nil }()
	return slices.Clone(d.lines)
}

func (d *diary) Add(obj any) error    { return d.write("add", state(obj)) }
func (d *diary) Update(obj any) error { return d.write("update", state(obj)) }
func (d *diary) Delete(obj any) error { return d.write("delete", state(obj)) }
func (d *diary) Resync() error        { return d.write("resync") }

func (d *diary) Replace(objs []any, resourceVersion string) error {
	states := make([]string, len(objs))
	for i, obj := range objs {
		states[i] = state(obj)
	}
	slices.Sort(states)
	return d.write("replace", states, "at", resourceVersion)
}

func (d *diary) Bookmark(resourceVersion string) error { return d.write("bookmark", resourceVersion) }
func (d *diary) UpdateResourceVersion(version string)  { d.write("version", version) }
func state(obj any) string                             { return obj.(*v1.Pod).Name + "@" + obj.(*v1.Pod).ResourceVersion }
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// podAPI is an API of pods, and what lists and watches it.
func podAPI(names ...string) (*cachetest.API[*v1.Pod], *cachetest.ListerWatcher[*v1.Pod]) {
	pods := make([]*v1.Pod, len(names))
	for i, name := range names {
		pods[i] = pod("ns", name, "")
	}
	api := cachetest.NewAPI(pods...)
	return api, cachetest.NewListerWatcher(api, &v1.PodList{})
}

// requests says what an API was asked: "list 0 limit 500", "watchlist", "watch 3".
func requests(api *cachetest.API[*v1.Pod]) []string {
	synctest.Wait()
	var all []string
	for _, r := range api.Requests() {
		line := strings.TrimSpace(string(r.Verb) + " " + r.Options.ResourceVersion)
		if r.Options.Limit > 0 {
			line += fmt.Sprintf(" limit %d", r.Options.Limit)
		}
		all = append(all, line)
	}
	return all
}

// background calls run until the returned function is called, which returns once
// run has.
func background(t *testing.T, run func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-done
	}
}

// A reflector passes the list and each event to a store, with its version.
func TestReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		store := &diary{}
		reflector := NewReflector(lw, &v1.Pod{}, store, 0)
		if version := reflector.LastSyncResourceVersion(); version != "" {
			t.Errorf("version %q before the start", version)
		}
		defer background(t, reflector.RunWithContext)()

		same(t, "after the list", store.read(), []string{"replace [a@2] at 2"})
		b, err := api.Create(pod("ns", "b", ""))
		if err != nil {
			t.Fatal(err)
		}
		b.Labels = map[string]string{"new": "yes"}
		if _, err := api.Update(b); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Delete(types.NamespacedName{Namespace: "ns", Name: "b"}); err != nil {
			t.Fatal(err)
		}
		api.Bookmark()
		same(t, "after the events", store.read(), []string{
			"add b@3", "version 3", "update b@4", "version 4", "delete b@5", "version 5", "bookmark 5", "version 5",
		})
		if version := reflector.LastSyncResourceVersion(); version != "5" {
			t.Errorf("version %q", version)
		}
		same(t, "requests", requests(api), []string{"watchlist"})
	})
}

// What is set on a reflector before it runs is what it does.
func TestReflectorFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a", "b")
		lw.ListOnly = true
		api.SetWatchCache(false)
		store := &diary{}
		reflector := NewNamedReflector("paging", lw, &v1.Pod{}, store, time.Minute)
		reflector.WatchListPageSize = 1
		asked := 0
		reflector.ShouldResync = func() bool {
			asked++
			return asked == 2
		}
		stop := make(chan struct{})
		go func() {
			time.Sleep(3 * time.Minute)
			close(stop)
		}()
		if err := reflector.ListAndWatch(stop); err != nil {
			t.Error(err)
		}
		same(t, "store", store.read(), []string{"replace [a@2 b@3] at 3", "resync"})
		same(t, "requests", requests(api), []string{"list 0 limit 1", "list limit 1", "watch 3"})
		if reflector.Name() != "paging" || reflector.TypeDescription() != "*v1.Pod" {
			t.Errorf("%s of %s", reflector.Name(), reflector.TypeDescription())
		}
	})
}

// A list that fails is what ListAndWatch returns.
func TestReflectorListError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI()
		lw.ListOnly = true
		api.Fail(cachetest.Fault{Err: cachetest.Status(403)})
		err := NewReflector(lw, &v1.Pod{}, &diary{}, 0).ListAndWatchWithContext(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "failed to list *v1.Pod: ") {
			t.Errorf("error %v", err)
		}
	})
}

// A reflector without a name is named after the code that made it.
func TestReflectorName(t *testing.T) {
	_, lw := podAPI()
	if name := NewReflector(lw, &v1.Pod{}, &diary{}, 0).Name(); strings.Contains(name, "clientgo/cache/") || !strings.Contains(name, ".go:") {
		t.Errorf("name %q", name)
	}
}

// An indexer and its reflector come together.
func TestNamespaceKeyedIndexerAndReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, lw := podAPI("a", "b")
		indexer, reflector := NewNamespaceKeyedIndexerAndReflector(lw, &v1.Pod{}, 0)
		stop := make(chan struct{})
		go reflector.Run(stop)
		synctest.Wait()
		keys, err := indexer.IndexKeys(NamespaceIndex, "ns")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "keys", keys, []string{"ns/a", "ns/b"})
		if version := indexer.LastStoreSyncResourceVersion(); version != reflector.LastSyncResourceVersion() {
			t.Errorf("version %q, and %q of the reflector", version, reflector.LastSyncResourceVersion())
		}
		close(stop)
	})
}
