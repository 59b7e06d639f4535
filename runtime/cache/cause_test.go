package cache_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// explained records the calls of a handler with their causes: "add a: list",
// "update a: list after expired".
type explained struct {
	why   cause.Cause
	calls []string
}

func (e *explained) OnAdd(obj *thing, _ bool)     { e.record("add", obj, e.why) }
func (e *explained) OnUpdate(_, obj *thing)       { e.record("update", obj, e.why) }
func (e *explained) OnDelete(last *thing, _ bool) { e.record("delete", last, e.why) }

func (e *explained) record(call string, obj *thing, why cause.Cause) {
	line := fmt.Sprintf("%s %s: %v", call, obj.Name, why.Kind)
	if why.Reason != nil {
		line += " after " + failure.ClassOf(why.Reason).String()
	}
	e.calls = append(e.calls, line)
}

// batched records the events of batches.
func (e *explained) batched() cache.Handler[*thing] {
	call := map[string]string{"ADDED": "add", "MODIFIED": "update", "DELETED": "delete"}
	return cache.InBatches(func(events []cache.Event[*thing]) {
		for _, event := range events {
			e.record(call[string(event.Type)], event.Object, event.Cause)
		}
	})
}

// Each kind of handler gets the cause of each call.
func TestCause(t *testing.T) {
	relist := func(api *cachetest.API[*thing], missed func()) {
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		settle()
		missed()
		api.Compact()
		time.Sleep(time.Minute)
	}
	for _, test := range []struct {
		name   string
		resync time.Duration
		happen func(t *testing.T, api *cachetest.API[*thing])
		want   []string
	}{
		{"watch events", -1, func(t *testing.T, api *cachetest.API[*thing]) {
			must[*thing](t)(api.Create(newThing("b")))
			touch(t, api, "b")
			must[*thing](t)(api.Delete(keyOf("b")))
		}, []string{"add b: watch", "update b: watch", "delete b: watch"}},
		{"a list after a gap, and watch events behind it", -1, func(t *testing.T, api *cachetest.API[*thing]) {
			must[*thing](t)(api.Create(newThing("b")))
			relist(api, func() {
				touch(t, api, "a")
				must[*thing](t)(api.Delete(keyOf("b")))
				must[*thing](t)(api.Create(newThing("c")))
			})
			touch(t, api, "c")
			relist(api, func() { touch(t, api, "a"); touch(t, api, "c") })
		}, []string{
			"add b: watch",
			"delete b: list after expired", "update a: list after expired", "add c: list after expired",
			"update c: watch",
			"update a: list after expired", "update c: list after expired",
		}},
		{"a server that restarts with an older history", -1, func(t *testing.T, api *cachetest.API[*thing]) {
			version := api.ResourceVersion()
			touch(t, api, "a")
			settle()
			if err := api.Restore(version); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}, []string{"update a: watch", "update a: list after expired"}},
		{"a resync", 45 * time.Second, func(*testing.T, *cachetest.API[*thing]) { time.Sleep(time.Minute) },
			[]string{"update a: resync"}},
		{"a resource that is removed, and installed again", -1, func(t *testing.T, api *cachetest.API[*thing]) {
			relist(api, api.Uninstall)
			time.Sleep(time.Hour)
			api.Install()
			must[*thing](t)(api.Create(newThing("new")))
			time.Sleep(time.Hour)
		}, []string{"delete a: resource removed", "add new: list after not found"}},
	} {
		for kind, options := range map[string]cache.HandlerOptions{
			"in order": {}, "in batches": {}, "coalescing": {Coalesce: true}, "with what is unchanged": {Unchanged: true},
		} {
			t.Run(test.name+"/"+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(newThing("a"))
					informer := cache.New(api.Source(), cache.Options[*thing]{})
					seen := &explained{}
					var handler cache.Handler[*thing] = seen
					options.Cause, options.Resync = &seen.why, test.resync
					if kind == "in batches" {
						handler, options.Cause = seen.batched(), nil
					}
					must[*cache.Registration](t)(informer.AddHandler(handler, options))
					r := start(t, informer)
					settle()
					test.happen(t, api)
					settle()
					r.stop()
					expect(t, "calls", append([]string{"add a: list"}, test.want...), seen.calls)
				})
			})
		}
	}
}

// The initial objects of a handler come from the first list, or from the store if it was
// added later.
func TestCauseOfInitialObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := cache.New(api.Source(), cache.Options[*thing]{})
		early, late := &explained{}, &explained{}
		must[*cache.Registration](t)(informer.AddHandler(early, cache.HandlerOptions{Cause: &early.why}))
		r := start(t, informer)
		settle()
		touch(t, api, "a")
		settle()
		must[*cache.Registration](t)(informer.AddHandler(late, cache.HandlerOptions{Cause: &late.why}))
		settle()
		touch(t, api, "a")
		settle()
		r.stop()
		expect(t, "early", []string{"add a: list", "update a: watch", "update a: watch"}, early.calls)
		expect(t, "late", []string{"add a: join", "update a: watch"}, late.calls)
	})
}

// What a relist found unchanged has the cause of what it found changed.
func TestCauseOfUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		settle()
		seen := &explained{}
		must[*cache.Registration](t)(informer.AddHandler(seen, cache.HandlerOptions{Cause: &seen.why, Unchanged: true}))
		settle()
		api.BreakWatches(cachetest.Status(410))
		time.Sleep(time.Minute)
		informer.stop()
		expect(t, "calls", []string{"add a: join", "update a: list after expired"}, seen.calls)
	})
}

// A merged event has the cause of the last change of its object, and a call that is repeated
// after a panic has its cause again, whatever comes meanwhile.
func TestCauseOfMergedAndRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"))
		informer := run(t, api, cache.Options[*thing]{})
		settle()
		gate := make(chan struct{})
		merges, repeats := &explained{}, &explained{}
		slow := cache.HandlerFuncs[*thing]{
			Add:    func(obj *thing, initial bool) { <-gate; merges.OnAdd(obj, initial) },
			Update: merges.OnUpdate,
			Delete: merges.OnDelete,
		}
		must[*cache.Registration](t)(informer.AddHandler(slow, cache.HandlerOptions{Cause: &merges.why, Coalesce: true, Limit: 1}))
		panics := 0
		failing := cache.HandlerFuncs[*thing]{
			Update: func(old, obj *thing) {
				repeats.OnUpdate(old, obj)
				repeats.why = cause.Cause{}
				if panics++; panics < 3 {
					panic("again")
				}
			},
			Delete: repeats.OnDelete,
		}
		must[*cache.Registration](t)(informer.AddHandler(failing, cache.HandlerOptions{Cause: &repeats.why, OnPanic: failure.PanicRetry}))
		settle()

		touch(t, api, "b")
		settle()
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		settle()
		touch(t, api, "a")
		touch(t, api, "b")
		must[*thing](t)(api.Delete(keyOf("c")))
		api.Compact()
		time.Sleep(time.Minute)
		for range 2 { // more than the limit
			touch(t, api, "a")
		}
		settle()
		close(gate)
		time.Sleep(time.Hour)
		informer.stop()

		slices.Sort(merges.calls)
		expect(t, "merged", []string{
			"add a: join", "add b: join", "add c: join",
			"delete c: list after expired", "update a: watch", "update b: list after expired",
		}, merges.calls)
		expect(t, "repeated", []string{
			"update b: watch", "update b: watch", "update b: watch",
			"delete c: list after expired", "update a: list after expired", "update b: list after expired",
			"update a: watch", "update a: watch",
		}, repeats.calls)
	})
}

// The calls for one namespace of several come from its own lists, and those for one that is
// no longer followed say so.
func TestCauseOfNamespaces(t *testing.T) {
	for kind, options := range map[string]cache.HandlerOptions{"in order": {}, "in batches": {}, "coalescing": {Coalesce: true}} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				other := newThing("b")
				other.Namespace = "other"
				set := &namespaces{API: cachetest.NewAPI(newThing("a"), other), names: []string{"ns"}, changed: make(chan struct{})}
				informer := cache.New(sourceOf(set), cache.Options[*thing]{})
				seen := &explained{}
				var handler cache.Handler[*thing] = seen
				if options.Cause = &seen.why; kind == "in batches" {
					handler, options.Cause = seen.batched(), nil
				}
				must[*cache.Registration](t)(informer.AddHandler(handler, options))
				r := start(t, informer)
				settle()
				set.become("ns", "other")
				set.BreakWatches(cachetest.Status(410))
				touch(t, set.API, "a")
				time.Sleep(time.Minute)
				set.become("other")
				settle()
				r.stop()
				expect(t, "calls", []string{
					"add a: list", "add b: list", "update a: list after expired", "delete a: namespace left",
				}, seen.calls)
			})
		})
	}
}

// namespaces is a source of a set of namespaces.
type namespaces struct {
	*cachetest.API[*thing]
	names   []string
	changed chan struct{}
}

func (n *namespaces) Describe() cache.SourceInfo {
	return cache.SourceInfo{
		Scopes: func() (scopes []types.NamespacedName, changed <-chan struct{}) {
			for _, name := range n.names {
				scopes = append(scopes, types.NamespacedName{Namespace: name})
			}
			return scopes, n.changed
		},
		In: func(scope types.NamespacedName) cache.Objects { return n.InNamespace(scope.Namespace) },
	}
}

func (n *namespaces) become(names ...string) {
	settle()
	before := n.changed
	n.names, n.changed = names, make(chan struct{})
	close(before)
	settle()
}
