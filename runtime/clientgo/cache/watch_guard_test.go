package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// A reflector lists when the initial events of a watch-list have no end, and does
// not ask for a watch-list again.
func TestReflectorWithoutBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		api.SetWatchList(cachetest.WatchListEndless)
		store := &diary{}
		defer background(t, NewReflector(lw, &v1.Pod{}, store, 0).RunWithContext)()

		time.Sleep(bookmarkTimeout - time.Second)
		same(t, "before the deadline", store.read(), nil)
		time.Sleep(time.Second)
		synctest.Wait()
		same(t, "after it", store.read(), []string{"replace [a@2] at 2"})
		same(t, "requests", requests(api), []string{"watchlist", "list 0 limit 500", "watch 2"})

		api.ResetRequests()
		api.BreakWatches(cachetest.Status(410))
		time.Sleep(time.Minute)
		same(t, "later requests", requests(api), []string{"list 2", "watch 2"})
	})
}

// A watch-list may take any time if its events come one after the other.
func TestReflectorWithSlowBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan *watch.RaceFreeFakeWatcher, 1)
		lw := &ListWatch{
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				w := watch.NewRaceFreeFake()
				opened <- w
				return w, nil
			},
		}
		store := &diary{}
		defer background(t, NewReflector(lw, &v1.Pod{}, store, 0).RunWithContext)()

		w := <-opened
		for _, name := range []string{"a", "b", "c"} {
			time.Sleep(bookmarkTimeout - time.Second)
			w.Add(pod("ns", name, "1"))
		}
		time.Sleep(bookmarkTimeout - time.Second)
		end := pod("", "", "1")
		end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		w.Action(watch.Bookmark, end)
		same(t, "store", store.read(), []string{"replace [a@1 b@1 c@1] at 1"})

		// From here on it has more patience.
		time.Sleep(idleTimeout - time.Second)
		w.Delete(pod("ns", "a", "2"))
		same(t, "store", store.read(), []string{"delete a@2", "version 2"})
	})
}

// A watch that is silent is given up. The one of this server may report its stop as
// an error: then the reflector asks for everything again, and else for what follows.
func TestReflectorWithSilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		store := &diary{}
		defer background(t, NewReflector(lw, &v1.Pod{}, store, 0).RunWithContext)()
		time.Sleep(idleTimeout - time.Second)
		same(t, "store", store.read(), []string{"replace [a@2] at 2"})
		same(t, "requests", requests(api), []string{"watchlist"})
		time.Sleep(time.Minute)
		if all := requests(api); len(all) != 2 {
			t.Errorf("requests after it: %q", all)
		}
	})
}

// One that ends normally when it is stopped is opened again from where it was.
func TestReflectorWithSilentWatchThatCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newFakeAPI(pod("ns", "a", "1"))
		var versions []string
		lw := api.listWatch()
		recorded := ToListWatcherWithWatchListSemantics(&ListWatch{
			ListWithContextFunc: ToListerWatcherWithContext(lw).ListWithContext,
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				versions = append(versions, options.ResourceVersion)
				return ToListerWatcherWithContext(lw).WatchWithContext(ctx, options)
			},
		}, api)
		store := &diary{}
		defer background(t, NewReflector(recorded, &v1.Pod{}, store, 0).RunWithContext)()
		time.Sleep(idleTimeout + time.Second)
		synctest.Wait()
		same(t, "watches", versions, []string{"1", "1"})
	})
}

// A reflector asks a server that is busy for the watch-list again, after the time
// that its backoff says, and ends at once when it is stopped.
func TestReflectorOfBusyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		api.Fail(cachetest.Fault{Err: cachetest.Status(429)})
		api.Fail(cachetest.Fault{Err: cachetest.ErrConnectionRefused})
		store := &diary{}
		backoff := wait.Backoff{Duration: time.Hour, Factor: 2, Steps: 10}
		options := ReflectorOptions{Backoff: &backoff}
		stop := background(t, NewReflectorWithOptions(lw, &v1.Pod{}, store, options).RunWithContext)
		time.Sleep(3*time.Hour - time.Second)
		same(t, "before the second pause ends", store.read(), nil)
		time.Sleep(time.Second)
		same(t, "after it", store.read(), []string{"replace [a@2] at 2"})
		same(t, "requests", requests(api), []string{"watchlist", "watchlist", "watchlist"})
		stop()

		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
		stop = background(t, NewReflectorWithOptions(lw, &v1.Pod{}, store, options).RunWithContext)
		began := time.Now()
		stop()
		if took := time.Since(began); took != 0 {
			t.Errorf("took %v to stop", took)
		}
	})
}

// unguarded returns what a guard gives to its reflector.
func unguarded(lw ListerWatcher) ListerWatcher {
	_, guarded := guarded(lw, "", nil)
	return guarded
}

// countedWatch counts the calls of a watch.
type countedWatch struct {
	watch.Interface
	stops atomic.Int32
}

func (w *countedWatch) Stop() {
	w.stops.Add(1)
	w.Interface.Stop()
}

// However a guarded watch ends, the watch below is stopped once.
func TestGuardedWatchStopsOnce(t *testing.T) {
	for name, end := range map[string]func(watch.Interface, *watch.RaceFreeFakeWatcher){
		"stopped": func(w watch.Interface, _ *watch.RaceFreeFakeWatcher) { w.Stop() },
		"silent and stopped": func(w watch.Interface, _ *watch.RaceFreeFakeWatcher) {
			time.Sleep(idleTimeout)
			w.Stop()
		},
		"closed by the server": func(w watch.Interface, server *watch.RaceFreeFakeWatcher) {
			server.Stop()
			w.Stop()
		},
		"silent": func(watch.Interface, *watch.RaceFreeFakeWatcher) { time.Sleep(idleTimeout) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := watch.NewRaceFreeFake()
				counted := &countedWatch{Interface: server}
				lw := unguarded(&ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
					return counted, nil
				}})
				w, err := ToWatcherWithContext(lw).WatchWithContext(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				end(w, server)
				for range w.ResultChan() {
					t.Error("an event after the end")
				}
				if stops := counted.stops.Load(); stops != 1 {
					t.Errorf("stopped %d times", stops)
				}
				w.Stop() // once more does nothing
			})
		})
	}
}

// What a ListerWatcher says of watch-lists, and how its watch fails, gets through.
func TestGuardIsTransparent(t *testing.T) {
	_, lw := podAPI()
	for _, lw.ListOnly = range []bool{false, true} {
		says, ok := unguarded(lw).(interface{ IsWatchListSemanticsUnSupported() bool })
		if !ok || says.IsWatchListSemanticsUnSupported() != lw.ListOnly {
			t.Errorf("list only %t is not passed on", lw.ListOnly)
		}
	}
	refused := ToListerWatcherWithContext(unguarded(&ListWatch{WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
		return nil, cachetest.ErrConnectionRefused
	}}))
	if _, err := refused.WatchWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, cachetest.ErrConnectionRefused) {
		t.Errorf("error %v", err)
	}
	none := ToListerWatcherWithContext(unguarded(&ListWatch{WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return nil, nil }}))
	if _, err := none.WatchWithContext(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("no watch and no error")
	}
}

// An event that the watch has handed over is in the store, also if the context ends
// at that moment: nothing is between the watch and the reflector.
func TestReflectorLosesNoEventAtItsEnd(t *testing.T) {
	for range 200 {
		server := watch.NewFake() // hands over without a buffer
		lw := &ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return server, nil }}
		store := NewStore(MetaNamespaceKeyFunc)
		ctx, cancel := context.WithCancel(t.Context())
		reflector := NewReflector(lw, &v1.Pod{}, store, 0)
		go func() {
			server.Add(pod("ns", "a", "1"))
			end := pod("", "", "1")
			end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
			server.Action(watch.Bookmark, end)
			server.Add(pod("ns", "b", "2"))
			cancel()
		}()
		if err := reflector.ListAndWatchWithContext(ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(store.List()); n != 2 {
			t.Fatalf("%d objects", n)
		}
	}
}

// Of watch-lists that the server cuts before their bookmark, three in a row make the
// reflector list. The next time it tries a watch-list again.
func TestReflectorWithCutWatchLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		var watchLists int
		cut := &ListWatch{
			ListWithContextFunc: lw.ListWithContext,
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				if options.SendInitialEvents == nil {
					return lw.WatchWithContext(ctx, options)
				}
				watchLists++
				w := watch.NewRaceFreeFake()
				w.Add(pod("ns", "a", "2"))
				w.Stop()
				return w, nil
			},
		}
		store := &diary{}
		defer background(t, NewReflector(cut, &v1.Pod{}, store, 0).RunWithContext)()
		synctest.Wait()
		same(t, "store", store.read(), []string{"replace [a@2] at 2"})
		if watchLists != maxCuts {
			t.Errorf("%d watch-lists", watchLists)
		}
		same(t, "requests", requests(api), []string{"list 0 limit 500", "watch 2"})

		api.BreakWatches(cachetest.Status(410))
		time.Sleep(time.Minute)
		synctest.Wait()
		if watchLists != 2*maxCuts {
			t.Errorf("%d watch-lists after an expired watch", watchLists)
		}
	})
}

// A zero backoff does not make a reflector retry in a busy loop.
func TestReflectorBackoffHasFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
		options := ReflectorOptions{Backoff: &wait.Backoff{}}
		defer background(t, NewReflectorWithOptions(lw, &v1.Pod{}, &diary{}, options).RunWithContext)()
		time.Sleep(10 * time.Second)
		if n := len(requests(api)); n < 2 || n > 101 {
			t.Errorf("%d requests in 10 s", n)
		}
	})
}

// bareStore is a store without optional methods.
type bareStore struct{ ReflectorStore }

// Optional methods of a store are called through a guard, and those that it has not
// are without effect.
func TestGuardedStoreHasOptionalMethods(t *testing.T) {
	guard, _ := guarded(&ListWatch{}, "", nil)
	inner := NewRealFIFOWithOptions(RealFIFOOptions{
		AtomicEvents:          true,
		EmitDeltaTypeBookmark: true,
		Transformer:           func(any) (any, error) { return "transformed", nil },
	})
	store := guardedStore{ReflectorStore: inner, guard: guard}
	if obj, _ := store.Transformer()("given"); obj != "transformed" {
		t.Errorf("transformed to %v", obj)
	}
	if err := store.Bookmark("7"); err != nil {
		t.Error(err)
	}
	if _, err := inner.Pop(func(obj any, _ bool) error {
		if kind := obj.(Deltas).Newest().Type; kind != Bookmark {
			t.Errorf("delta %s", kind)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}

	store = guardedStore{ReflectorStore: bareStore{inner}, guard: guard}
	if obj, _ := store.Transformer()("given"); obj != "given" {
		t.Errorf("transformed to %v", obj)
	}
	if err := store.Bookmark("8"); err != nil {
		t.Error(err)
	}
	store.UpdateResourceVersion("8")
	if _, ok := guardQueue(inner, guard).(QueueWithBatch); !ok {
		t.Error("a queue with batches lost them")
	}
	if _, ok := guardQueue(struct{ Queue }{inner}, guard).(QueueWithBatch); ok {
		t.Error("a queue without batches got them")
	}
}
