package field_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// fakeRow has the writes to a fake clientset, and the events that a handler must get after the initial
// ones.
type fakeRow struct {
	name   string
	script func(*fakes)
	events []string
}

// fakeRows are about fake clientsets, whose objects have the UIDs and
// resourceVersions that tests give them: none, or one for ever.
var fakeRows = []fakeRow{
	{
		"update a, update b, update a",
		func(f *fakes) { f.update("a", "1"); f.update("b", "1"); f.update("a", "2") },
		[]string{"update a 0 1", "update b 0 1", "update a 1 2"},
	},
	{
		"update a, and back, and again",
		func(f *fakes) { f.update("a", "1"); f.update("a", "0"); f.update("a", "1") },
		[]string{"update a 0 1", "update a 1 0", "update a 0 1"},
	},
	{
		"delete, create, update, delete",
		func(f *fakes) { f.delete("a"); f.create("a"); f.update("a", "1"); f.delete("a") },
		[]string{"delete a 0", "add a 0", "update a 0 1", "delete a 1"},
	},
	{
		"delete a, update b, create a, update b, delete a",
		func(f *fakes) { f.delete("a"); f.update("b", "1"); f.create("a"); f.update("b", "2"); f.delete("a") },
		[]string{"delete a 0", "update b 0 1", "add a 0", "update b 1 2", "delete a 0"},
	},
	{
		"delete and create, three times",
		func(f *fakes) {
			for range 3 {
				f.delete("a")
				f.create("a")
			}
		},
		[]string{"delete a 0", "add a 0", "delete a 0", "add a 0", "delete a 0", "add a 0"},
	},
	{
		"create c, d and e, and delete them",
		func(f *fakes) {
			f.create("c")
			f.create("d")
			f.create("e")
			f.delete("c")
			f.delete("d")
			f.delete("e")
		},
		[]string{"add c 0", "add d 0", "add e 0", "delete c 0", "delete d 0", "delete e 0"},
	},
	{
		"nothing for an hour, and update a",
		func(f *fakes) { time.Sleep(time.Hour); f.update("a", "1") },
		[]string{"update a 0 1"},
	},
	{
		"update a every minute for an hour, to the same",
		func(f *fakes) {
			for range 60 {
				time.Sleep(time.Minute)
				f.update("a", "0")
			}
			f.update("a", "1")
		},
		[]string{"update a 0 1"},
	},
}

func TestFakeClientsets(t *testing.T) {
	if *realTime {
		t.Skip("in virtual time only")
	}
	for _, r := range fakeRows {
		for _, version := range []string{"", "1", eachItsOwn} {
			for _, i := range fakeImplementations {
				t.Run(fmt.Sprintf("%s/version=%q/%s", r.name, version, i.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { r.test(t, version, i.new) })
				})
			}
		}
	}
}

func (r fakeRow) test(t *testing.T, version string, newInformer func(*fake.Clientset) cache.SharedIndexInformer) {
	f := &fakes{T: t, version: version}
	f.clientset = fake.NewClientset(f.pod("a", "0"), f.pod("b", "0"))
	informer, told := newInformer(f.clientset), &teller{}
	if _, err := informer.AddEventHandler(told); err != nil {
		t.Fatal(err)
	}
	go informer.RunWithContext(t.Context())
	f.pass()
	told.forget()
	f.clientset.ClearActions()
	r.script(f)
	f.pass()
	if diff := cmp.Diff(r.events, told.get()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	lists := 0
	for _, action := range f.clientset.Actions() {
		if action.GetVerb() == "list" {
			lists++
		}
	}
	if lists > 0 {
		t.Errorf("%d more lists", lists)
	}
	pods, err := f.clientset.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, pod := range pods.Items {
		want = append(want, pod.Name+pod.Labels["state"])
	}
	for _, obj := range informer.GetStore().List() {
		got = append(got, obj.(*v1.Pod).Name+obj.(*v1.Pod).Labels["state"])
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("store (-want +got):\n%s", diff)
	}
}

var fakeImplementations = []struct {
	name string
	new  func(*fake.Clientset) cache.SharedIndexInformer
}{
	{typed.Name, func(c *fake.Clientset) cache.SharedIndexInformer {
		pods := c.CoreV1().Pods("ns")
		informer := core.New(source.FromClientset[*v1.Pod](c, pods.List, pods.Watch), core.Options[*v1.Pod]{})
		return clientgocache.Typed(informer, clientgocache.AdapterOptions{Object: &v1.Pod{}})
	}},
	{layer.Name, func(c *fake.Clientset) cache.SharedIndexInformer {
		return clientgocache.NewSharedIndexInformer(fakeListWatch(c), &v1.Pod{}, 0, cache.Indexers{})
	}},
	{clientGo.Name, func(c *fake.Clientset) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(fakeListWatch(c), &v1.Pod{}, 0, cache.Indexers{})
	}},
}

// fakeListWatch lists and watches as code-generator's informers do.
func fakeListWatch(c *fake.Clientset) cache.ListerWatcher {
	pods := c.CoreV1().Pods("ns")
	return onlyLists{&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, options)
		},
	}}
}

type onlyLists struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is asked by client-go since 0.35.
func (onlyLists) IsWatchListSemanticsUnSupported() bool { return true }

// fakes writes to a fake clientset.
type fakes struct {
	*testing.T
	clientset *fake.Clientset
	// version is the version of all objects, or "". With a version, they have UIDs.
	version string
}

// eachItsOwn is the version of objects that never change theirs.
const eachItsOwn = "each its own"

// pass lets time pass for what was written last.
func (f *fakes) pass() {
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

func (f *fakes) check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fakes) pod(name, state string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: f.version, Labels: map[string]string{"state": state}}}
	if f.version == eachItsOwn {
		pod.ResourceVersion = "9"
		if name == "a" {
			pod.ResourceVersion = "5"
		}
	}
	if f.version != "" {
		pod.UID = types.UID("uid-of-" + name)
	}
	return pod
}

func (f *fakes) create(name string) {
	_, err := f.clientset.CoreV1().Pods("ns").Create(f.Context(), f.pod(name, "0"), metav1.CreateOptions{})
	f.check(err)
}

func (f *fakes) update(name, state string) {
	_, err := f.clientset.CoreV1().Pods("ns").Update(f.Context(), f.pod(name, state), metav1.UpdateOptions{})
	f.check(err)
}

func (f *fakes) delete(name string) {
	f.check(f.clientset.CoreV1().Pods("ns").Delete(f.Context(), name, metav1.DeleteOptions{}))
}

// teller notes the events that it is given, but for updates without a change.
type teller struct {
	mu     sync.Mutex
	events []string
}

func (t *teller) tell(event string, states ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, obj := range states {
		if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = unknown.Obj
		}
		pod := obj.(*v1.Pod)
		if states[0] == obj {
			event += " " + pod.Name
		}
		event += " " + pod.Labels["state"]
	}
	t.events = append(t.events, event)
}

func (t *teller) OnAdd(obj any, _ bool) { t.tell("add", obj) }
func (t *teller) OnDelete(obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	t.tell("delete", obj)
}

func (t *teller) OnUpdate(old, obj any) {
	x, y := old.(*v1.Pod), obj.(*v1.Pod)
	if fmt.Sprint(x.UID, x.Labels) == fmt.Sprint(y.UID, y.Labels) {
		return
	}
	t.tell("update", old, obj)
}

func (t *teller) get() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}

func (t *teller) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = nil
}
