package cache

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// eventLog notes what a handler is called with.
func eventLog(informer SharedIndexInformer) *[]string {
	var events []string
	describe := func(what string, obj any) {
		if unknown, ok := obj.(DeletedFinalStateUnknown); ok {
			what, obj = what+" unknown", unknown.Obj
		}
		p := obj.(*v1.Pod)
		events = append(events, what+" "+p.Name+"@"+p.ResourceVersion)
	}
	_, _ = informer.AddEventHandler(ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { describe("add", obj) },
		UpdateFunc: func(_, obj any) { describe("update", obj) },
		DeleteFunc: func(obj any) { describe("delete", obj) },
	})
	return &events
}

// The events of handlers in cases in which this package and client-go differ, or
// might be thought to.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name         string
		do           func(api *fakeAPI)
		ours, theirs []string
	}{
		{
			name:   "a delete of an object that the store does not have",
			do:     func(api *fakeAPI) { api.send(watch.Deleted, pod("ns", "b", "9")) },
			theirs: []string{"delete b@9"},
		},
		{
			name: "the same update twice",
			do: func(api *fakeAPI) {
				api.send(watch.Modified, pod("ns", "a", "9"))
				api.send(watch.Modified, pod("ns", "a", "9"))
			},
			ours:   []string{"update a@9", "update a@9"},
			theirs: []string{"update a@9", "update a@9"},
		},
		{
			name: "two items with one key in a list",
			do: func(api *fakeAPI) {
				api.more = []v1.Pod{*pod("ns", "b", "8"), *pod("ns", "b", "9")}
				api.disconnect(func() { api.set(pod("ns", "a", "2")) })
			},
			ours:   []string{"update a@2", "add b@9"},
			theirs: []string{"update a@2", "add b@8", lastTwin},
		},
		{
			name: "a connection that is reset when a watch is opened",
			do: func(api *fakeAPI) {
				time.Sleep(time.Minute)
				api.fail(syscall.ECONNRESET)
				api.close()
				time.Sleep(time.Minute)
				api.fail(nil)
				time.Sleep(time.Minute)
			},
			theirs: []string{"update a@1"},
		},
		{
			name: "a watch that times out when it is opened",
			do: func(api *fakeAPI) {
				time.Sleep(time.Minute)
				api.fail(os.ErrDeadlineExceeded)
				api.close()
				time.Sleep(time.Minute)
				api.fail(nil)
				time.Sleep(time.Minute)
			},
			theirs: []string{"update a@1"},
		},
		{
			name: "a connection that is refused when a watch is opened",
			do: func(api *fakeAPI) {
				time.Sleep(time.Minute)
				api.fail(syscall.ECONNREFUSED)
				api.close()
				time.Sleep(time.Minute)
				api.fail(nil)
				time.Sleep(time.Minute)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, want := range map[string][]string{"ours": c.ours, "client-go's": c.theirs} {
				synctest.Test(t, func(t *testing.T) {
					api := newFakeAPI(pod("ns", "a", "1"))
					constructor := NewSharedIndexInformer
					if name != "ours" {
						constructor = cache.NewSharedIndexInformer
					}
					informer := constructor(api.listWatch(), runtime.Object(&v1.Pod{}), 0, Indexers{})
					events := eventLog(informer)
					defer run(t, informer)()
					synctest.Wait()
					*events = nil
					c.do(api)
					time.Sleep(10 * time.Second)
					synctest.Wait()
					same(t, name, *events, want)
				})
			}
		})
	}
}
