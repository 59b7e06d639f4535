package cache_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

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
		if err := r.Run(t.Context()); !errors.Is(err, failure.ErrStarted) {
			t.Errorf("second Run: got %v", err)
		}
		r.stop()
		<-r.Stopped()
		if !returned {
			t.Error("Run returned before the handler")
		}
		if _, err := r.AddHandler(cache.HandlerFuncs[*thing]{}, cache.HandlerOptions{}); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("AddHandler after the stop: got %v", err)
		}
		if err := r.AddIndexes(cache.NamespaceIndex[*thing]()); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("AddIndexes after the stop: got %v", err)
		}
		if err := r.Run(t.Context()); !errors.Is(err, failure.ErrStarted) {
			t.Errorf("Run after the stop: got %v", err)
		}
		if s := r.Status(); s.Phase != cache.PhaseStopped {
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
		if err := r.WaitForSync(t.Context()); !errors.Is(err, failure.ErrStopped) {
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

// Indexes may be registered before the start, by the options, and while the
// informer runs; a function that fails or panics leaves its object out.
func TestIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := cache.New(api.Source(), cache.Options[*thing]{Indexes: []cache.Index[*thing]{cache.NamespaceIndex[*thing]()}})
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
		if _, err := store.ByIndex("none", "x"); !errors.Is(err, failure.ErrIndexUnknown) {
			t.Errorf("unknown index: got %v", err)
		}
		if err := r.AddIndexes(before); !errors.Is(err, failure.ErrIndexExists) {
			t.Errorf("second index of that name: got %v", err)
		}
	})
}

// An informer with invalid indexes says so wherever it is used.
func TestInvalidOptions(t *testing.T) {
	informer := cache.New(cachetest.NewAPI[*thing]().Source(), cache.Options[*thing]{Indexes: []cache.Index[*thing]{{Name: "half"}}})
	_, err := informer.AddHandler(cache.HandlerFuncs[*thing]{}, cache.HandlerOptions{})
	for _, err := range []error{err, informer.Run(t.Context()), informer.WaitForSync(t.Context())} {
		if !errors.Is(err, failure.ErrIndexInvalid) {
			t.Errorf("got %v", err)
		}
	}
}
