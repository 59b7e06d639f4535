package cache_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// Writers, readers, faults, late and removed handlers and indexes all at once:
// in the end the store has the API's objects, and each handler was told of the same. Real
// goroutines and real time, for the race detector.
func TestStress(t *testing.T) {
	for _, noWatchList := range []bool{false, true} {
		t.Run(fmt.Sprintf("watch-list=%v", !noWatchList), func(t *testing.T) { stress(t, noWatchList) })
	}
}

func stress(t *testing.T, noWatchList bool) {
	api := cachetest.NewAPI(newThing("n0"), newThing("n1"))
	informer := cache.New(api.Source(), cache.Options[*thing]{
		DisableWatchList: noWatchList,
		ListWatch: cache.ListWatch{
			PageSize:  3,
			Backoff:   &wait.Backoff{Duration: time.Millisecond, Factor: 1, Jitter: 1, Steps: 1},
			OnFailure: func(context.Context, cache.Failure) cache.Decision { return cache.Decision{Quiet: true} },
		},
		Indexes: []cache.Index[*thing]{cache.NamespaceIndex[*thing]()},
		Resync:  time.Second,
	})
	r := start(t, informer)

	type handled struct {
		recorder     *cachetest.Recorder[*thing]
		registration *cache.Registration
	}
	var kept []handled
	add := func() handled {
		recorder, registration := r.handle(cache.HandlerOptions{})
		return handled{recorder, registration}
	}
	kept = append(kept, add())

	var work sync.WaitGroup
	writing, stop := context.WithCancel(t.Context())
	for w := range 3 {
		work.Go(func() { write(api, rand.New(rand.NewPCG(uint64(w), 7)), w) })
	}
	var rest sync.WaitGroup
	rest.Go(func() { disturb(writing, api) })
	rest.Go(func() {
		for writing.Err() == nil {
			_ = informer.Store().ListNamespace("ns")
			for obj := range informer.Store().All() {
				_, _ = informer.Store().Get(keyOf(obj.Name))
			}
		}
	})
	for n := range 8 {
		kept = append(kept, add())
		gone := add()
		if n == 4 {
			if err := informer.AddIndexes(cache.Index[*thing]{Name: "last", Value: lastOf}); err != nil {
				t.Fatal(err)
			}
		}
		gone.registration.Remove()
		<-gone.registration.Done()
	}
	work.Wait()
	stop()
	rest.Wait()
	api.ClearFaults()
	last := must[*thing](t)(api.Create(newThing("last")))
	truth := names(api.Objects())

	for n, h := range kept {
		if err := h.recorder.WaitUntil(t.Context(), addUpTo(truth)); err != nil {
			t.Fatal(err)
		}
		view := h.recorder.View()
		if want := names(api.Objects()); len(view) != len(want) {
			t.Errorf("handler %d: %d objects, want %d", n, len(view), len(want))
		}
		for key, obj := range view {
			if stored, _ := informer.Store().Get(key); stored != obj {
				t.Errorf("handler %d: %v is not what the store has", n, key)
			}
		}
		if err := h.recorder.Err(); err != nil {
			t.Errorf("handler %d: %v", n, err)
		}
	}
	expect(t, "store", names(api.Objects()), names(informer.Store().List()))
	expect(t, "index", names([]*thing{last}), names(must[[]*thing](t)(informer.Store().ByIndex("last", "t"))))
}

func lastOf(obj *thing) string { return obj.Name[len(obj.Name)-1:] }

// addUpTo is true once the events lead to these objects.
func addUpTo(truth []string) func([]cachetest.Event[*thing]) bool {
	last := func(e cachetest.Event[*thing]) bool { return e.Key.Name == "last" }
	return func(events []cachetest.Event[*thing]) bool {
		if !slices.ContainsFunc(events, last) {
			return false
		}
		view := map[types.NamespacedName]*thing{}
		for _, e := range events {
			if e.Type == cachetest.Delete {
				delete(view, e.Key)
			} else {
				view[e.Key] = e.Object
			}
		}
		return slices.Equal(truth, names(slices.Collect(maps.Values(view))))
	}
}

// write makes changes at random to objects that no other writer touches.
func write(api *cachetest.API[*thing], random *rand.Rand, writer int) {
	for range 2000 {
		name := fmt.Sprintf("w%d-%d", writer, random.IntN(20))
		obj, err := api.Get(keyOf(name))
		switch {
		case err != nil:
			_, _ = api.Create(newThing(name))
		case random.IntN(3) == 0:
			_, _ = api.Delete(keyOf(name))
		default:
			obj.Labels = map[string]string{"n": fmt.Sprint(random.Int())}
			_, _ = api.Update(obj)
		}
	}
}

// disturb breaks what can be broken until ctx ends.
func disturb(ctx context.Context, api *cachetest.API[*thing]) {
	random := rand.New(rand.NewPCG(1, 1))
	for ctx.Err() == nil {
		switch random.IntN(6) {
		case 0:
			api.CloseWatches()
		case 1:
			api.BreakWatches(cachetest.ErrConnectionReset)
		case 2:
			api.Compact()
			api.BreakWatches(cachetest.Status(410))
		case 3:
			api.Fail(cachetest.Fault{Err: cachetest.Status(500)})
		case 4:
			api.Fail(cachetest.Fault{Verb: cachetest.List, Page: 2, Err: cachetest.Status(410)})
		case 5:
			api.Bookmark()
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
	}
}
