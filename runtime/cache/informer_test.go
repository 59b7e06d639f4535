package cache_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

type thing = metav1.PartialObjectMetadata

func newThing(name string) *thing {
	t := &thing{}
	t.Namespace, t.Name = "ns", name
	return t
}

func keyOf(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

// running is an informer at work in a synctest bubble.
type running struct {
	*cache.Informer[*thing]
	t    *testing.T
	stop func()
}

// run starts an informer over api, and stops it at the end of the test.
func run(t *testing.T, api *cachetest.API[*thing], options cache.Options[*thing]) running {
	t.Helper()
	informer := cache.New(api, options)
	return start(t, informer)
}

func start(t *testing.T, informer *cache.Informer[*thing]) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := informer.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	stop := sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return running{Informer: informer, t: t, stop: stop}
}

// handle adds a recorder.
func (r running) handle(options cache.HandlerOptions) (*cachetest.Recorder[*thing], *cache.Registration) {
	r.t.Helper()
	recorder := &cachetest.Recorder[*thing]{}
	registration, err := r.AddHandler(recorder, options)
	if err != nil {
		r.t.Fatal(err)
	}
	return recorder, registration
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// touch changes an object, which gives it a new resourceVersion.
func touch(t *testing.T, api *cachetest.API[*thing], name string) {
	t.Helper()
	obj := must[*thing](t)(api.Get(keyOf(name)))
	obj.Annotations = map[string]string{"changed-after": obj.ResourceVersion}
	must[*thing](t)(api.Update(obj))
}

// lines describes events: "add a 2 initial", "update a 2 3", "delete a 4".
func lines(events []cachetest.Event[*thing]) []string {
	var all []string
	for _, e := range events {
		line := fmt.Sprintf("%s %s", e.Type, e.Key.Name)
		if e.Type == cachetest.Update {
			line += " " + e.Old.ResourceVersion
		}
		line += " " + e.Object.ResourceVersion
		if e.Initial {
			line += " initial"
		}
		if e.FinalStateUnknown {
			line += " unseen"
		}
		all = append(all, line)
	}
	return all
}

func expect(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// requests describes what an API was asked: "list 0", "watch 3", "watchlist ".
func requests(api *cachetest.API[*thing]) []string {
	var all []string
	for _, r := range api.Requests() {
		all = append(all, fmt.Sprintf("%s %s", r.Verb, r.Options.ResourceVersion))
	}
	return all
}

func names(objects []*thing) []string {
	var all []string
	for _, obj := range objects {
		all = append(all, obj.Name+" "+obj.ResourceVersion)
	}
	slices.Sort(all)
	return all
}

// settle lets everything happen that does not need time to pass.
func settle() { synctest.Wait() }

// Both ways to fill the store lead to the same: the initial objects, in order,
// and then each change.
func TestInformerFollows(t *testing.T) {
	for name, noWatchList := range map[string]bool{"list": true, "watch-list": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				informer := run(t, api, cache.Options[*thing]{DisableWatchList: noWatchList})
				recorder, _ := informer.handle(cache.HandlerOptions{})
				if err := informer.WaitForSync(t.Context()); err != nil {
					t.Fatal(err)
				}
				must[*thing](t)(api.Create(newThing("c")))
				touch(t, api, "a")
				must[*thing](t)(api.Delete(keyOf("b")))
				settle()

				expect(t, "events", []string{
					"add a 2 initial", "add b 3 initial",
					"add c 4", "update a 2 5", "delete b 6",
				}, lines(recorder.Events()))
				expect(t, "store", []string{"a 5", "c 4"}, names(informer.Store().List()))
				want := []string{"watchlist "}
				if noWatchList {
					want = []string{"list 0", "watch 3"}
				}
				expect(t, "requests", want, requests(api))
				if v := informer.ResourceVersion(); v != "6" {
					t.Errorf("ResourceVersion: got %s, want 6", v)
				}
				if err := recorder.Err(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

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

// What an informer missed shows in the next list: gone, new and changed
// objects, and nothing of those that are as they were.
func TestRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"))
		informer := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		recorder, _ := informer.handle(cache.HandlerOptions{})
		settle()
		kept, _ := informer.Store().Get(keyOf("a"))

		// The watch is cut; when it is opened again, its version has expired.
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: 1, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		settle()
		touch(t, api, "b")
		must[*thing](t)(api.Delete(keyOf("c")))
		must[*thing](t)(api.Create(newThing("d")))
		api.Compact()
		time.Sleep(time.Minute)

		expect(t, "events", []string{
			"add a 2 initial", "add b 3 initial", "add c 4 initial",
			"delete c 4 unseen", "update b 3 5", "add d 7",
		}, lines(recorder.Events()))
		if again, _ := informer.Store().Get(keyOf("a")); again != kept {
			t.Error("the unchanged object was replaced by its twin from the list")
		}
		if err := recorder.Err(); err != nil {
			t.Error(err)
		}
		expect(t, "requests", []string{"list 0", "watch 4", "watch 4", "watch 4", "list 4", "watch 7"}, requests(api))
	})
}

// A watch-list whose bookmark never comes is given up, once and for all.
func TestBookmarkNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.SetWatchList(cachetest.WatchListEndless)
		informer := run(t, api, cache.Options[*thing]{BookmarkTimeout: 8 * time.Second})

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := informer.WaitForSync(ctx)
		var sync *cache.SyncError
		if !errors.As(err, &sync) || sync.Status.Phase != cache.Streaming || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitForSync: got %v", err)
		}
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		settle()
		expect(t, "requests", []string{"watchlist ", "list 0", "watch 2"}, requests(api))

		// After a failure the informer does not try a watch-list again.
		time.Sleep(2 * time.Second)
		api.ResetRequests()
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(500)})
		api.CloseWatches()
		time.Sleep(time.Minute)
		expect(t, "requests", []string{"watch 2", "list 2", "watch 2"}, requests(api))
	})
}

// A watch-list that the server refuses is a list, and the next one is tried
// again.
func TestWatchListRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.SetWatchList(cachetest.WatchListRejected)
		informer := run(t, api, cache.Options[*thing]{})
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		settle()
		expect(t, "requests", []string{"watchlist ", "list 0", "watch 2"}, requests(api))
	})
}

// An informer that is not in sync says what it is doing and what went wrong.
func TestWaitForSyncSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403)})
		informer := run(t, api, cache.Options[*thing]{Name: "things"})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := informer.WaitForSync(ctx)
		for _, part := range []string{`informer "things": not in sync`, "failed attempts", "last error: list", "deadline exceeded"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("error lacks %q: %v", part, err)
			}
		}
		api.ClearFaults()
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		if s := informer.Status(); s.Phase != cache.Watching || s.Attempts != 0 || s.LastError != nil {
			t.Errorf("status after the recovery: %+v", s)
		}
	})
}

// Failures are met with growing pauses, however they look.
func TestNoHotLoop(t *testing.T) {
	for name, fault := range map[string]cachetest.Fault{
		"forbidden":         {Err: cachetest.Status(403)},
		"server error":      {Err: cachetest.Status(500)},
		"no server":         {Err: cachetest.ErrConnectionRefused},
		"expired":           {Err: cachetest.Status(410)},
		"unknown":           {Err: errors.New("bad luck")},
		"watch breaks":      {Verb: cachetest.Watch, Opened: true, Err: cachetest.ErrConnectionReset},
		"watch ends":        {Verb: cachetest.Watch, Err: cachetest.Status(410)},
		"watch-list broken": {Verb: cachetest.WatchList, Opened: true, Err: cachetest.ErrConnectionReset},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				fault.Times = -1
				api.Fail(fault)
				run(t, api, cache.Options[*thing]{DisableWatchList: fault.Verb == cachetest.Watch})
				time.Sleep(10 * time.Minute)
				if n := len(api.Requests()); n < 10 || n > 100 {
					t.Errorf("%d requests in 10 minutes", n)
				}
			})
		})
	}
}

// A server that asks for time is given it.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Err: cachetest.StatusRetryAfter(429, 90)})
		informer := run(t, api, cache.Options[*thing]{})
		begin := time.Now()
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != 90*time.Second {
			t.Errorf("in sync after %v, want 90s", waited)
		}
	})
}

// A watch on which nothing comes any more is opened again.
func TestSilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Hang: true})
		informer := run(t, api, cache.Options[*thing]{DisableWatchList: true, IdleTimeout: time.Minute})
		settle()
		touch(t, api, "a")
		time.Sleep(61 * time.Second)
		settle()
		expect(t, "store", []string{"a 3"}, names(informer.Store().List()))
		expect(t, "requests", []string{"list 0", "watch 2", "watch 2"}, requests(api))
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

// A removed handler is not called again, and counts as synced.
func TestRemoveHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := cache.New(api, cache.Options[*thing]{})
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

// Run ends with its context, after every handler has returned; nothing can be
// added afterwards, and it can't be run again.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := run(t, api, cache.Options[*thing]{})
		busy := make(chan struct{})
		var returned bool
		must[*cache.Registration](t)(r.AddHandler(cache.HandlerFuncs[*thing]{Add: func(*thing, bool) {
			close(busy)
			time.Sleep(time.Minute)
			returned = true
		}}, cache.HandlerOptions{}))
		<-busy
		if err := r.Run(t.Context()); !errors.Is(err, cache.ErrStarted) {
			t.Errorf("second Run: got %v", err)
		}
		r.stop()
		<-r.Stopped()
		if !returned {
			t.Error("Run returned before the handler")
		}
		if _, err := r.AddHandler(cache.HandlerFuncs[*thing]{}, cache.HandlerOptions{}); !errors.Is(err, cache.ErrStopped) {
			t.Errorf("AddHandler after the stop: got %v", err)
		}
		if err := r.AddIndexes(cache.NamespaceIndex[*thing]()); !errors.Is(err, cache.ErrStopped) {
			t.Errorf("AddIndexes after the stop: got %v", err)
		}
		if err := r.Run(t.Context()); !errors.Is(err, cache.ErrStarted) {
			t.Errorf("Run after the stop: got %v", err)
		}
		if s := r.Status(); s.Phase != cache.Stopped {
			t.Errorf("status: %v", s)
		}
	})
}

// An informer that stops before its first list says so to who waits.
func TestStopBeforeSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI[*thing]()
		api.Fail(cachetest.Fault{Times: -1, Hang: true})
		r := run(t, api, cache.Options[*thing]{})
		_, registration := r.handle(cache.HandlerOptions{})
		settle()
		r.stop()
		if err := r.WaitForSync(t.Context()); !errors.Is(err, cache.ErrStopped) {
			t.Errorf("WaitForSync: got %v", err)
		}
		<-registration.Done()
		select {
		case <-registration.Synced():
			t.Error("handler synced without a list")
		default:
		}
	})
}

// A transform is applied once to each state, before anybody sees it, and an
// error or a panic of it concerns one object.
func TestTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("bad"), newThing("worse"))
		calls := map[string]int{}
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true, Transform: func(obj *thing) (*thing, error) {
			calls[obj.Name+obj.ResourceVersion]++
			switch obj.Name {
			case "bad":
				return nil, errors.New("no good")
			case "worse":
				panic("at the disco")
			}
			obj.Labels = map[string]string{"seen": obj.ResourceVersion}
			return obj, nil
		}})
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		touch(t, api, "a")
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		api.CloseWatches()
		time.Sleep(time.Minute)

		expect(t, "events", []string{"add a 2 initial", "update a 2 5"}, lines(recorder.Events()))
		if got, _ := r.Store().Get(keyOf("a")); got.Labels["seen"] != "5" {
			t.Errorf("labels: %v", got.Labels)
		}
		if calls["a2"] != 1 || calls["a5"] != 1 {
			t.Errorf("calls: %v", calls)
		}
	})
}

// One object that can't be decoded does not keep the others away.
func TestUndecodableObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		api.Fail(
			cachetest.Fault{Verb: cachetest.List, Err: &cache.ObjectError{Err: errors.New("garbled")}},
			cachetest.Fault{Verb: cachetest.Watch, Err: &cache.ObjectError{Err: errors.New("garbled")}},
		)
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		settle()
		expect(t, "store", []string{"b 3"}, names(r.Store().List()))
		touch(t, api, "b")
		touch(t, api, "a")
		settle()
		expect(t, "store", []string{"a 5", "b 3"}, names(r.Store().List()))
	})
}

// Indexes may be registered before the start, by the options, and while the
// informer runs; a function that fails or panics leaves its object out.
func TestIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := cache.New(api, cache.Options[*thing]{Indexes: []cache.Index[*thing]{cache.NamespaceIndex[*thing]()}})
		before := cache.Index[*thing]{Name: "before", Value: func(obj *thing) string { return obj.Name }}
		if err := informer.AddIndexes(before); err != nil {
			t.Fatal(err)
		}
		r := start(t, informer)
		settle()
		while := cache.Index[*thing]{Name: "while", Values: func(obj *thing) ([]string, error) {
			switch obj.Name {
			case "a":
				return []string{"x", "x", "y"}, nil
			case "b":
				return nil, errors.New("no")
			}
			panic("oh")
		}}
		if err := r.AddIndexes(while); err != nil {
			t.Fatal(err)
		}
		must[*thing](t)(api.Create(newThing("c")))
		settle()

		store := r.Store()
		expect(t, "namespace", []string{"a 2", "b 3", "c 4"}, names(store.ListNamespace("ns")))
		expect(t, "before", []string{"b 3"}, names(must[[]*thing](t)(store.ByIndex("before", "b"))))
		expect(t, "while", []string{"a 2"}, names(must[[]*thing](t)(store.ByIndex("while", "x"))))
		values := must[[]string](t)(store.IndexValues("while"))
		slices.Sort(values)
		expect(t, "values", []string{"x", "y"}, values)
		if _, err := store.ByIndex("none", "x"); !errors.Is(err, cache.ErrIndexUnknown) {
			t.Errorf("unknown index: got %v", err)
		}
		if err := r.AddIndexes(before); !errors.Is(err, cache.ErrIndexExists) {
			t.Errorf("second index of that name: got %v", err)
		}
	})
}

// An informer with invalid indexes says so wherever it is used.
func TestInvalidOptions(t *testing.T) {
	informer := cache.New(cachetest.NewAPI[*thing](), cache.Options[*thing]{Indexes: []cache.Index[*thing]{{Name: "half"}}})
	_, err := informer.AddHandler(cache.HandlerFuncs[*thing]{}, cache.HandlerOptions{})
	for _, err := range []error{err, informer.Run(t.Context()), informer.WaitForSync(t.Context())} {
		if !errors.Is(err, cache.ErrIndexInvalid) {
			t.Errorf("got %v", err)
		}
	}
}
