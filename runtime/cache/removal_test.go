package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// holder is a handler whose memory can be watched.
type holder struct {
	cachetest.Recorder[*thing]
	why cause.Cause
	_   [1 << 10]byte
}

// A registration that is kept holds neither the handler nor an object once the
// handler will not be called again, and has the progress that it made.
func TestRegistrationHoldsNothing(t *testing.T) {
	for _, test := range []struct {
		name    string
		options cache.HandlerOptions
		// end ends the handler, which is named for the object that it was called with.
		end func(running, *cache.Registration)
	}{
		{"removed", cache.HandlerOptions{}, func(_ running, r *cache.Registration) { r.Remove() }},
		{"removed, coalesces", cache.HandlerOptions{Coalesce: true}, func(_ running, r *cache.Registration) { r.Remove() }},
		{"removed, wants what is unchanged", cache.HandlerOptions{Unchanged: true, Resync: time.Second}, func(_ running, r *cache.Registration) {
			time.Sleep(time.Minute)
			r.Remove()
		}},
		{"removed twice", cache.HandlerOptions{}, func(_ running, r *cache.Registration) { r.Remove(); r.Remove() }},
		{"informer stopped", cache.HandlerOptions{}, func(i running, _ *cache.Registration) { i.stop() }},
		{"informer stopped, then removed", cache.HandlerOptions{}, func(i running, r *cache.Registration) { i.stop(); r.Remove() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				informer := run(t, api, cache.Options[*thing]{})
				settle()
				registration, handler := addHolder(t, informer, test.options)
				touch(t, api, "a")
				settle()
				object := weak.Make(get(informer, "a"))
				snapshot := weak.Make(get(informer, "b"))
				test.end(informer, registration)
				<-registration.Done()
				must[*thing](t)(api.Delete(keyOf("a")))
				must[*thing](t)(api.Delete(keyOf("b")))
				settle()
				if err := informer.Store().Writable().Replace(nil, "9"); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					runtime.GC()
				}
				if handler.Value() != nil {
					t.Error("the handler is held")
				}
				if object.Value() != nil || snapshot.Value() != nil {
					t.Error("an object is held")
				}
				status := registration.Status()
				if status.Name != "holder" || status.Delivered < 3 || status.Backlog != 0 || status.Lag != 0 {
					t.Errorf("status: %+v", status)
				}
				runtime.KeepAlive(registration)
				runtime.KeepAlive(informer)
			})
		})
	}
}

//go:noinline
func addHolder(t *testing.T, informer running, options cache.HandlerOptions) (*cache.Registration, weak.Pointer[holder]) {
	options.Name = "holder"
	handler := &holder{}
	options.Cause = &handler.why
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	registration := must[*cache.Registration](t)(informer.AddHandlerContext(ctx, forgetful{handler}, options))
	settle()
	return registration, weak.Make(handler)
}

// forgetful makes a recorder forget, so that it holds no objects.
type forgetful struct{ *holder }

func (f forgetful) OnAdd(*thing, bool)    {}
func (f forgetful) OnUpdate(_, _ *thing)  {}
func (f forgetful) OnDelete(*thing, bool) {}

//go:noinline
func get(informer running, name string) *thing {
	obj, _ := informer.Store().Get(keyOf(name))
	return obj
}

// What a handler merges goes with it, even if it is stuck.
func TestStuckHandlerRemovedHoldsNothingMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{})
		stuck := make(chan struct{})
		defer close(stuck)
		registration := must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
			Add: func(*thing, bool) { <-stuck },
		}, cache.HandlerOptions{Coalesce: true, Limit: 1}))
		settle()
		var merged weak.Pointer[thing]
		for range 3 {
			merged = weak.Make(get(informer, "b"))
			touch(t, api, "b")
			settle()
		}
		if n := registration.Backlog(); n != 4 {
			t.Errorf("Backlog: got %d, want 2 initial objects, 1 merged event and 1 that is not", n)
		}
		registration.Remove()
		for range 100 {
			touch(t, api, "b")
			settle()
		}
		for range 3 {
			runtime.GC()
		}
		if merged.Value() != nil {
			t.Error("a merged object is held")
		}
		if n := registration.Backlog(); n != 0 {
			t.Errorf("Backlog of a removed handler: %d", n)
		}
	})
}

// A handler that ends its goroutine is removed, which is logged and told, and nobody
// else notices.
func TestHandlerExits(t *testing.T) {
	reallyCrash := utilruntime.ReallyCrash
	utilruntime.ReallyCrash = false
	defer func() { utilruntime.ReallyCrash = reallyCrash }()
	exit := func(obj *thing) {
		if obj.Name == "a" {
			runtime.Goexit()
		}
	}
	inOrder := func(onAdd bool) cache.Handler[*thing] {
		return cache.HandlerFuncs[*thing]{
			Add: func(obj *thing, _ bool) {
				if onAdd {
					exit(obj)
				}
			},
			Update: func(_, obj *thing) { exit(obj) },
		}
	}
	panics := 0
	for _, test := range []struct {
		name    string
		handler cache.Handler[*thing]
		options cache.HandlerOptions
		want    cache.HandlerStatus
	}{
		{"initial object", inOrder(true), cache.HandlerOptions{}, cache.HandlerStatus{Delivered: 1}},
		{"event", inOrder(false), cache.HandlerOptions{}, cache.HandlerStatus{Delivered: 3}},
		{"merged event", inOrder(false), cache.HandlerOptions{Coalesce: true}, cache.HandlerStatus{Delivered: 3}},
		{"resync", cache.HandlerFuncs[*thing]{Update: func(old, obj *thing) {
			if old == obj {
				exit(obj)
			}
		}}, cache.HandlerOptions{Resync: time.Second}, cache.HandlerStatus{Delivered: 4}},
		{"batch", cache.InBatches(func([]cache.Event[*thing]) { runtime.Goexit() }), cache.HandlerOptions{}, cache.HandlerStatus{Delivered: 3}},
		{"after a panic", cache.HandlerFuncs[*thing]{Update: func(_, obj *thing) {
			if panics++; panics == 1 {
				panic("no room")
			}
			exit(obj)
		}}, cache.HandlerOptions{OnPanic: failure.PanicRetry}, cache.HandlerStatus{Delivered: 4, Panics: 1, LastPanic: time.Unix(946684800, 0)}},
		{"policy of a crash", inOrder(false), cache.HandlerOptions{OnPanic: failure.PanicCrash}, cache.HandlerStatus{Delivered: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				informer := run(t, api, cache.Options[*thing]{Name: "things"})
				others := 0
				must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
					Update: func(_, _ *thing) { others++ },
				}, cache.HandlerOptions{Name: "other"}))
				settle()
				test.options.Name, test.options.Logger = "exits", &logger
				registration := must[*cache.Registration](t)(informer.AddHandler(test.handler, test.options))
				settle()
				touch(t, api, "a")
				time.Sleep(10 * time.Second)
				select {
				case <-registration.Done():
				default:
					t.Fatal("Done is open")
				}
				<-registration.Synced()
				err := registration.Err()
				if err == nil || !strings.Contains(err.Error(), `informer "things": handler "exits": ended its goroutine`) {
					t.Errorf("Err: %v", err)
				}
				logged := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
				if !strings.Contains(logged, "Handler removed") || !strings.Contains(logged, "Goexit") {
					t.Errorf("logged %q", logged)
				}
				test.want.Name = "exits"
				if got := registration.Status(); got != test.want {
					t.Errorf("status: got %+v, want %+v", got, test.want)
				}
				if handlers := informer.Status().Handlers; len(handlers) != 1 || handlers[0].Name != "other" {
					t.Errorf("handlers: %+v", handlers)
				}

				passed := follow(t, api, informer, 10*64)
				if others != 1+10*64 {
					t.Errorf("the other handler got %d updates", others)
				}
				if n := alive(passed); n > 2*64+1 {
					t.Errorf("%d of %d states are held", n, len(passed))
				}
				informer.stop()
			})
		})
	}
}

// follow has an informer see n states of an object, and returns them.
func follow(t *testing.T, api *cachetest.API[*thing], informer running, n int) []weak.Pointer[thing] {
	t.Helper()
	var all []weak.Pointer[thing]
	for range n {
		touch(t, api, "b")
		settle()
		all = append(all, weak.Make(get(informer, "b")))
	}
	return all
}

func alive(states []weak.Pointer[thing]) int {
	for range 3 {
		runtime.GC()
	}
	n := 0
	for _, s := range states {
		if s.Value() != nil {
			n++
		}
	}
	return n
}

// A handler may use all that its informer and its registration offer.
func TestHandlerUsesItsInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{})
		inner := &cachetest.Recorder[*thing]{}
		registrations := make(chan *cache.Registration, 1)
		calls := 0
		registration := must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
			Add: func(*thing, bool) {
				calls++
				self := <-registrations
				if s := informer.Status(); len(s.Handlers) != 1 || s.Handlers[0].Backlog != 1 || self.Status() != s.Handlers[0] {
					t.Errorf("status: %+v, %+v", s, self.Status())
				}
				must[*cache.Registration](t)(informer.AddHandler(inner, cache.HandlerOptions{}))
				if err := informer.AddIndexes(cache.NamespaceIndex[*thing]()); err != nil {
					t.Error(err)
				}
				self.Remove()
				if n := self.Backlog(); n != 0 {
					t.Errorf("Backlog after Remove: %d", n)
				}
			},
			Update: func(_, _ *thing) { calls++ },
		}, cache.HandlerOptions{}))
		registrations <- registration
		<-registration.Done()
		touch(t, api, "a")
		settle()
		expect(t, "inner handler", []string{"add a 2 initial", "update a 2 3"}, lines(inner.Events()))
		if calls != 1 {
			t.Errorf("called %d times", calls)
		}
	})
}

// Handlers that come and go leave nothing.
func TestManyHandlersLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{})
		settle()
		goroutines := countGoroutines()
		var all []*cache.Registration
		for n := range 10_000 {
			options := cache.HandlerOptions{Name: fmt.Sprint(n), Coalesce: n%4 == 1, Unchanged: n%4 == 2}
			if n%4 == 3 {
				options.Limit = 100
			}
			all = append(all, must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{}, options)))
		}
		settle()
		touch(t, api, "a")
		settle()
		for n, registration := range all {
			if d := registration.Status().Delivered; d != 3 {
				t.Fatalf("handler %d: %d calls", n, d)
			}
			registration.Remove()
		}
		for _, registration := range all {
			<-registration.Done()
		}
		settle()
		if n := countGoroutines(); n > goroutines {
			t.Errorf("%d goroutines, %d before", n, goroutines)
		}
		if handlers := informer.Status().Handlers; len(handlers) != 0 {
			t.Errorf("%d handlers", len(handlers))
		}
		if passed := follow(t, api, informer, 100); alive(passed) > 1 {
			t.Errorf("%d of %d states are held", alive(passed), len(passed))
		}
	})
}

// countGoroutines counts those that have not returned. NumGoroutine may count one for a
// moment longer.
func countGoroutines() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("\ngoroutine "))
}
