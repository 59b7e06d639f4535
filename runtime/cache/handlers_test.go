package cache_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// A handler that comes late is given the store and then what follows, and no
// other handler waits for it.
func TestLateHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{})
		settle()
		touch(t, api, "a")
		settle()

		gate := make(chan struct{})
		late := &cachetest.Recorder[*thing]{}
		slow := cache.HandlerFuncs[*thing]{Add: func(obj *thing, initial bool) { <-gate; late.OnAdd(obj, initial) }, Update: late.OnUpdate}
		registration := must[*cache.Registration](t)(informer.AddHandler(slow, cache.HandlerOptions{}))
		settle()
		touch(t, api, "b")
		settle()
		quick, _ := informer.handle(cache.HandlerOptions{})
		settle()
		expect(t, "other handler", []string{"add a 4 initial", "add b 5 initial"}, lines(quick.Events()))
		if n := registration.Backlog(); n != 3 {
			t.Errorf("Backlog: got %d, want 3: two objects and an event", n)
		}
		select {
		case <-registration.Synced():
			t.Error("Synced before the initial objects were handled")
		default:
		}

		close(gate)
		settle()
		expect(t, "late handler", []string{"add a 4 initial", "add b 3 initial", "update b 3 5"}, lines(late.Events()))
		<-registration.Synced()
		if n := registration.Backlog(); n != 0 {
			t.Errorf("Backlog: got %d, want 0", n)
		}
	})
}

// Resyncs come in each handler's period, and agree with what it was given.
func TestResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{Resync: 10 * time.Second})
		standard, _ := informer.handle(cache.HandlerOptions{})
		often, _ := informer.handle(cache.HandlerOptions{Resync: 4 * time.Second})
		never, _ := informer.handle(cache.HandlerOptions{Resync: -1})
		time.Sleep(5 * time.Second)
		touch(t, api, "a")
		time.Sleep(6 * time.Second)
		settle()

		initial := []string{"add a 2 initial", "add b 3 initial"}
		expect(t, "standard", append(slices.Clone(initial), "update a 2 4", "update a 4 4", "update b 3 3"), lines(standard.Events()))
		expect(t, "often", append(slices.Clone(initial), "update a 2 2", "update b 3 3", "update a 2 4", "update a 4 4", "update b 3 3"), lines(often.Events()))
		expect(t, "never", append(slices.Clone(initial), "update a 2 4"), lines(never.Events()))
	})
}

// A relist calls only the handler that wants it for objects that it found unchanged,
// in the order of the list.
func TestUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"))
		informer := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		asks, registration := informer.handle(cache.HandlerOptions{Unchanged: true})
		other, _ := informer.handle(cache.HandlerOptions{})
		settle()

		// The watch is cut; when it is opened again, its version has expired.
		relist := func() {
			api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
			api.BreakWatches(cachetest.ErrConnectionReset)
			settle()
			touch(t, api, "b")
			api.Compact()
			time.Sleep(5 * time.Minute) // also forgets the failure
		}
		relist()
		registration.Remove()
		relist()

		initial := []string{"add a 2 initial", "add b 3 initial", "add c 4 initial"}
		expect(t, "handler that asks", append(slices.Clone(initial), "update a 2 2", "update b 3 5", "update c 4 4"), lines(asks.Events()))
		expect(t, "other handler", append(slices.Clone(initial), "update b 3 5", "update b 5 6"), lines(other.Events()))
	})
}

// A resync of a handler that lags behind comes after what it lags behind with.
func TestResyncOfSlowHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		recorder := &cachetest.Recorder[*thing]{}
		slow := cache.HandlerFuncs[*thing]{Add: recorder.OnAdd, Update: func(old, obj *thing) {
			time.Sleep(3 * time.Second)
			recorder.OnUpdate(old, obj)
		}}
		must[*cache.Registration](t)(informer.AddHandler(slow, cache.HandlerOptions{Resync: 5 * time.Second}))
		settle()
		for range 4 {
			touch(t, api, "a")
		}
		time.Sleep(16 * time.Second)
		if err := recorder.Err(); err != nil {
			t.Error(err)
		}
		expect(t, "events", []string{"add a 2 initial", "update a 2 3", "update a 3 4", "update a 4 5", "update a 5 6", "update a 6 6"}, lines(recorder.Events()))
	})
}

// A handler that coalesces gets each resync although it is always behind: what is merged
// meanwhile comes after it, also if the handler panics on the way.
func TestResyncOfHandlerThatIsAlwaysBehind(t *testing.T) {
	for name, panicsEach := range map[string]int{"without panics": math.MaxInt, "with panics": 50} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"))
				informer := run(t, api, cache.Options[*thing]{})
				recorder := &cachetest.Recorder[*thing]{}
				calls := 0
				behind := cache.HandlerFuncs[*thing]{Add: recorder.OnAdd, Delete: recorder.OnDelete, Update: func(old, obj *thing) {
					time.Sleep(20 * time.Millisecond)
					if calls++; calls%panicsEach == 0 {
						panic("now and then")
					}
					recorder.OnUpdate(old, obj)
				}}
				must[*cache.Registration](t)(informer.AddHandler(behind, cache.HandlerOptions{
					Coalesce: true, Limit: 1, Resync: 5 * time.Second, OnPanic: failure.PanicRetry,
				}))
				for range 1000 {
					touch(t, api, "a")
					touch(t, api, "b")
					must[*thing](t)(api.Create(newThing("brief")))
					time.Sleep(30 * time.Millisecond)
					must[*thing](t)(api.Delete(keyOf("brief")))
					time.Sleep(30 * time.Millisecond)
				}
				resyncs := map[string]int{}
				for _, e := range recorder.Events() {
					if e.Type == cachetest.Update && e.Old.ResourceVersion == e.Object.ResourceVersion {
						resyncs[e.Key.Name]++
					}
				}
				for _, name := range []string{"a", "b", "c"} {
					if n := resyncs[name]; n < 10 || n > 12 {
						t.Errorf("%s: %d resyncs in a minute, want one each 5 s", name, n)
					}
				}
				time.Sleep(5 * time.Second)
				if err := recorder.Err(); err != nil {
					t.Error(err)
				}
				expect(t, "view", names(informer.Store().List()), names(slices.Collect(maps.Values(recorder.View()))))
			})
		})
	}
}

// A removed handler is not called again, and counts as synced.
func TestRemoveHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := cache.New(api.Source(), cache.Options[*thing]{})
		early := must[*cache.Registration](t)(informer.AddHandler(&cachetest.Recorder[*thing]{}, cache.HandlerOptions{}))
		early.Remove()
		<-early.Synced()
		<-early.Done()

		r := start(t, informer)
		recorder, registration := r.handle(cache.HandlerOptions{})
		settle()
		registration.Remove()
		registration.Remove()
		<-registration.Done()
		touch(t, api, "a")
		settle()
		expect(t, "events", []string{"add a 2 initial"}, lines(recorder.Events()))
	})
}

// What is logged about a handler goes to the logger that it brought.
func TestHandlerLogger(t *testing.T) {
	reallyCrash := utilruntime.ReallyCrash
	utilruntime.ReallyCrash = false
	defer func() { utilruntime.ReallyCrash = reallyCrash }()
	synctest.Test(t, func(t *testing.T) {
		logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		_, err := informer.AddHandler(cache.HandlerFuncs[*thing]{
			Add: func(*thing, bool) { panic("no room") },
		}, cache.HandlerOptions{Logger: &logger})
		if err != nil {
			t.Fatal(err)
		}
		settle()
		logged := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
		if !strings.Contains(logged, "no room") {
			t.Errorf("logged %q", logged)
		}
	})
}
