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

		time.Sleep(bookmarkPatience - time.Second)
		same(t, "before the deadline", store.read(), nil)
		time.Sleep(time.Second)
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
			time.Sleep(bookmarkPatience - time.Second)
			w.Add(pod("ns", name, "1"))
		}
		time.Sleep(bookmarkPatience - time.Second)
		end := pod("", "", "1")
		end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		w.Action(watch.Bookmark, end)
		same(t, "store", store.read(), []string{"replace [a@1 b@1 c@1] at 1"})

		// From here on it has more patience.
		time.Sleep(idlePatience - time.Second)
		w.Delete(pod("ns", "a", "2"))
		same(t, "store", store.read(), []string{"delete a@2", "version 2"})
	})
}

// A watch that is silent is opened again from where it was, without a list.
func TestReflectorWithSilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		store := &diary{}
		defer background(t, NewReflector(lw, &v1.Pod{}, store, 0).RunWithContext)()
		time.Sleep(idlePatience)
		same(t, "store", store.read(), []string{"replace [a@2] at 2"})
		same(t, "requests", requests(api), []string{"watchlist", "watch 2"})
	})
}

// A reflector asks a server that is busy for the watch-list again, after the time
// that its backoff says, and ends at once when it is told to.
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

// countedWatch counts the calls of a watch.
type countedWatch struct {
	watch.Interface
	stops, results atomic.Int32
}

func (w *countedWatch) Stop() {
	w.stops.Add(1)
	w.Interface.Stop()
}

func (w *countedWatch) ResultChan() <-chan watch.Event {
	w.results.Add(1)
	return w.Interface.ResultChan()
}

// However a guarded watch ends, the watch below is asked for its events once, and
// is stopped once and before its end is told.
func TestGuardedWatchStopsOnce(t *testing.T) {
	for name, end := range map[string]func(watch.Interface, *watch.RaceFreeFakeWatcher){
		"stopped": func(w watch.Interface, _ *watch.RaceFreeFakeWatcher) { w.Stop() },
		"stopped with an event on its way": func(w watch.Interface, server *watch.RaceFreeFakeWatcher) {
			server.Add(pod("ns", "a", "1"))
			synctest.Wait()
			w.Stop()
		},
		"closed by the server": func(_ watch.Interface, server *watch.RaceFreeFakeWatcher) { server.Stop() },
		"silent":               func(watch.Interface, *watch.RaceFreeFakeWatcher) { time.Sleep(idlePatience) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := watch.NewRaceFreeFake()
				counted := &countedWatch{Interface: server}
				lw := guarded(&ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
					return counted, nil
				}}, "", nil)
				w, err := ToWatcherWithContext(lw).WatchWithContext(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				end(w, server)
				for range w.ResultChan() {
					t.Error("an event after the end")
				}
				if stops, results := counted.stops.Load(), counted.results.Load(); stops != 1 || results != 1 {
					t.Errorf("stopped %d times, asked %d times for events", stops, results)
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
		says, ok := guarded(lw, "", nil).(interface{ IsWatchListSemanticsUnSupported() bool })
		if !ok || says.IsWatchListSemanticsUnSupported() != lw.ListOnly {
			t.Errorf("list only %t is not passed on", lw.ListOnly)
		}
	}
	refused := ToListerWatcherWithContext(guarded(&ListWatch{WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
		return nil, cachetest.ErrConnectionRefused
	}}, "", nil))
	if _, err := refused.WatchWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, cachetest.ErrConnectionRefused) {
		t.Errorf("error %v", err)
	}
	none := ToListerWatcherWithContext(guarded(&ListWatch{WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return nil, nil }}, "", nil))
	if _, err := none.WatchWithContext(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("no watch and no error")
	}
}
