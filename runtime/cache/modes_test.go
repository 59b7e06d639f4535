package cache_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// gated is a recorder that takes each event only when the gate is open.
type gated struct {
	cachetest.Recorder[*thing]
	gate chan struct{}
}

func (g *gated) OnAdd(obj *thing, initial bool)  { <-g.gate; g.Recorder.OnAdd(obj, initial) }
func (g *gated) OnUpdate(old, obj *thing)        { <-g.gate; g.Recorder.OnUpdate(old, obj) }
func (g *gated) OnDelete(last *thing, gone bool) { <-g.gate; g.Recorder.OnDelete(last, gone) }

// A handler that coalesces is called once for each object, however far it is behind.
func TestCoalescingHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{})
		slow := &gated{gate: make(chan struct{})}
		registration := must[*cache.Registration](t)(informer.AddHandler(slow, cache.HandlerOptions{Coalesce: true, Limit: 3}))
		settle()
		for range 100 {
			touch(t, api, "a")
			must[*thing](t)(api.Create(newThing("brief")))
			must[*thing](t)(api.Delete(keyOf("brief")))
			settle()
		}
		must[*thing](t)(api.Delete(keyOf("b")))
		must[*thing](t)(api.Create(newThing("b")))
		settle()
		if n := registration.Backlog(); n > 8 {
			t.Errorf("Backlog: got %d for 2 initial objects, 2 objects and 3 events at the most", n)
		}
		close(slow.gate)
		settle()
		if err := slow.Err(); err != nil {
			t.Error(err)
		}
		if n := len(slow.Events()); n > 10 {
			t.Errorf("%d events: %v", n, lines(slow.Events()))
		}
		expect(t, "view", names(informer.Store().List()), names(slices.Collect(maps.Values(slow.View()))))
		touch(t, api, "a")
		settle()
		expect(t, "view later", names(informer.Store().List()), names(slices.Collect(maps.Values(slow.View()))))
		if n := registration.Backlog(); n != 0 {
			t.Errorf("Backlog in the end: %d", n)
		}
	})
}

// A handler in order that is further behind than its limit is removed, and says so.
func TestLimitedHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"), newThing("d"))
		informer := run(t, api, cache.Options[*thing]{Name: "things"})
		stuck := &gated{gate: make(chan struct{})}
		registration := must[*cache.Registration](t)(informer.AddHandler(stuck, cache.HandlerOptions{Name: "stuck", Limit: 3}))
		settle()
		for range 3 {
			touch(t, api, "a")
		}
		settle()
		if err := registration.Err(); err != nil {
			t.Errorf("within its limit: %v", err)
		}
		touch(t, api, "a")
		settle()
		err := registration.Err()
		if !errors.Is(err, failure.ErrBacklogFull) || !strings.Contains(err.Error(), `informer "things": handler "stuck"`) {
			t.Errorf("Err: %v", err)
		}
		<-registration.Synced()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := registration.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stuck") {
			t.Errorf("Wait while it is called: %v", err)
		}
		close(stuck.gate)
		if err := registration.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A handler ends with its context.
func TestHandlerContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		ctx, cancel := context.WithCancel(t.Context())
		recorder := &cachetest.Recorder[*thing]{}
		registration := must[*cache.Registration](t)(informer.AddHandlerContext(ctx, recorder, cache.HandlerOptions{}))
		settle()
		cancel()
		<-registration.Done()
		touch(t, api, "a")
		settle()
		expect(t, "events", []string{"add a 2 initial"}, lines(recorder.Events()))
		if _, err := informer.AddHandlerContext(ctx, recorder, cache.HandlerOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	})
}

// A panic of a handler is reported with its name, and costs it one event or none.
func TestPanicPolicy(t *testing.T) {
	skipped := []string{"add b 3 initial", "update b 3 5", "update a 4 4", "update b 5 5"}
	retried := []string{"add a 2 initial", "add b 3 initial", "update a 2 4", "update b 3 5", "update a 4 4", "update b 5 5"}
	for _, test := range []struct {
		policy   failure.PanicPolicy
		coalesce bool
		want     []string
		panics   int
	}{
		{failure.PanicSkip, false, skipped, 2},
		{failure.PanicSkip, true, skipped, 2},
		{failure.PanicRetry, false, retried, 3},
		{failure.PanicRetry, true, retried, 3},
	} {
		t.Run(fmt.Sprint(test.policy, test.coalesce), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				informer := run(t, api, cache.Options[*thing]{})
				other, _ := informer.handle(cache.HandlerOptions{})
				recorder := &cachetest.Recorder[*thing]{}
				failed := map[string]int{}
				fail := func(obj *thing) {
					if failed[obj.ResourceVersion]++; obj.Name == "a" && failed[obj.ResourceVersion]%2 == 1 {
						panic("no room")
					}
				}
				registration := must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
					Add:    func(obj *thing, initial bool) { fail(obj); recorder.OnAdd(obj, initial) },
					Update: func(old, obj *thing) { fail(obj); recorder.OnUpdate(old, obj) },
				}, cache.HandlerOptions{Name: "fragile", Logger: &logger, OnPanic: test.policy, Coalesce: test.coalesce, Resync: time.Minute}))
				settle()
				touch(t, api, "a")
				touch(t, api, "b")
				settle()
				expect(t, "other handler", []string{"add a 2 initial", "add b 3 initial", "update a 2 4", "update b 3 5"}, lines(other.Events()))
				time.Sleep(30 * time.Second)
				<-registration.Synced()
				time.Sleep(50 * time.Second)
				expect(t, "events", test.want, lines(recorder.Events()))
				if n := registration.Status().Panics; n != test.panics {
					t.Errorf("%d panics, want %d", n, test.panics)
				}
				logged := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
				if !strings.Contains(logged, "no room") || !strings.Contains(logged, "fragile") || !strings.Contains(logged, "modes_test.go") {
					t.Errorf("logged %q", logged)
				}
			})
		})
	}
}

// A handler that was removed after a panic is not called again.
func TestRemoveAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, cachetest.NewAPI(newThing("a")), cache.Options[*thing]{})
		calls := 0
		registration := must[*cache.Registration](t)(r.AddHandler(cache.HandlerFuncs[*thing]{
			Add: func(*thing, bool) { calls++; panic("no room") },
		}, cache.HandlerOptions{OnPanic: failure.PanicRetry}))
		settle()
		registration.Remove()
		<-registration.Done()
		if calls != 1 {
			t.Errorf("called %d times", calls)
		}
	})
}

// The status has the progress of each handler.
func TestHandlerStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{})
		informer.handle(cache.HandlerOptions{Name: "quick"})
		settle()
		must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
			Add:    func(*thing, bool) { time.Sleep(time.Second) },
			Update: func(_, _ *thing) { time.Sleep(time.Minute) },
		}, cache.HandlerOptions{Name: "slow"}))
		time.Sleep(10 * time.Second)
		touch(t, api, "a")
		settle()
		time.Sleep(10 * time.Second)
		touch(t, api, "a")
		settle()
		time.Sleep(55 * time.Second)

		want := []cache.HandlerStatus{
			{Name: "quick", Delivered: 4},
			{Name: "slow", Backlog: 1, Lag: 55 * time.Second, Delivered: 3, LongestCall: time.Minute},
		}
		if got := informer.Status().Handlers; !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// A handler that is stuck and was removed keeps nothing that came after.
func TestStuckHandlerRemovedHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		handle, err := r.AddHandler(cache.HandlerFuncs[*thing]{Add: func(*thing, bool) { time.Sleep(time.Hour) }}, cache.HandlerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var states []weak.Pointer[thing]
		if _, err := r.AddHandler(cache.HandlerFuncs[*thing]{Update: func(_, obj *thing) { states = append(states, weak.Make(obj)) }}, cache.HandlerOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		handle.Remove()
		for range 1000 {
			touch(t, api, "a")
			settle()
		}
		runtime.GC()
		held := 0
		for _, s := range states {
			if s.Value() != nil {
				held++
			}
		}
		if held > 200 {
			t.Errorf("%d of %d states are held", held, len(states))
		}
	})
}

// A handler that takes batches gets the same events, several at once.
func TestInBatches(t *testing.T) {
	for _, options := range []cache.HandlerOptions{
		{},
		{Coalesce: true},
		{OnPanic: failure.PanicRetry},
		{Resync: time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := cachetest.NewAPI[*thing]()
			for n := range 100 {
				must[*thing](t)(api.Create(newThing(fmt.Sprint(n))))
			}
			r := run(t, api, cache.Options[*thing]{})
			recorder := &cachetest.Recorder[*thing]{}
			var sizes []int
			failed := options.OnPanic != failure.PanicRetry
			registration := must[*cache.Registration](t)(r.AddHandler(cache.InBatches(func(events []cache.Event[*thing]) {
				if !failed {
					failed = true
					panic("no room")
				}
				sizes = append(sizes, len(events))
				time.Sleep(time.Second)
				for _, e := range events {
					switch e.Type {
					case watch.Added:
						recorder.OnAdd(e.Object, e.Initial)
					case watch.Modified:
						recorder.OnUpdate(e.Old, e.Object)
					case watch.Deleted:
						recorder.OnDelete(e.Object, e.FinalStateUnknown)
					}
				}
			}), options))
			time.Sleep(10 * time.Second)
			<-registration.Synced()
			for n := range 10 {
				touch(t, api, fmt.Sprint(n))
				must[*thing](t)(api.Delete(keyOf(fmt.Sprint(n + 50))))
				settle()
			}
			time.Sleep(100 * time.Second)
			if err := recorder.Err(); err != nil {
				t.Error(err)
			}
			expect(t, "view", names(r.Store().List()), names(slices.Collect(maps.Values(recorder.View()))))
			if sizes[0]+sizes[1] != 100 || slices.Max(sizes) > 64 || len(sizes) > 6 {
				t.Errorf("batches of %v", sizes)
			}
		})
	}
}
