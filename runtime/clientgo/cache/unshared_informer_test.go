package cache

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// An informer with one handler keeps a store up to date, and calls the handler.
func TestUnsharedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		handler := &recorder{}
		store, controller := NewInformerWithOptions(InformerOptions{
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Handler:       handler,
			ResyncPeriod:  time.Minute,
		})
		if controller.HasSynced() || controller.LastSyncResourceVersion() != "" {
			t.Error("in sync before the start")
		}
		stop := background(t, controller.RunWithContext)
		same(t, "list", handler.take(), []string{"initial a"})
		if !controller.HasSynced() {
			t.Error("not in sync")
		}
		createPod(t, api, "b")
		synctest.Wait()
		same(t, "event", handler.take(), []string{"add b"})
		same(t, "store", store.ListKeys(), []string{"ns/a", "ns/b"})
		if version := controller.LastSyncResourceVersion(); version != "3" || version != storeVersion(store) {
			t.Errorf("version %q, and %q of the store", version, storeVersion(store))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		same(t, "resync", handler.take(), []string{"resync a", "resync b"})
		stop()
		createPod(t, api, "c")
		same(t, "after the end", handler.take(), nil)
	})
}

// A handler hears of every object of a relist: first of those that are gone, then
// of the others, in the order of the list. None of them is initial.
func TestUnsharedInformerRelists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a", "b")
		handler := &recorder{}
		_, controller := NewInformer(lw, &v1.Pod{}, 0, handler)
		defer background(t, controller.RunWithContext)()
		same(t, "list", handler.take(), []string{"initial a", "initial b"})

		// The watch is cut; when it is opened again, its version has expired.
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
		api.BreakWatches(cachetest.ErrConnectionReset)
		synctest.Wait()
		if _, err := api.Delete(types.NamespacedName{Namespace: "ns", Name: "a"}); err != nil {
			t.Fatal(err)
		}
		createPod(t, api, "c")
		api.Compact()
		time.Sleep(time.Minute)
		synctest.Wait()
		same(t, "relist", handler.take(), []string{"gone ns/a a", "resync b", "add c"})
	})
}

// The handler has got the first list when the controller has synced.
func TestUnsharedInformerSyncsAfterItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, lw := podAPI("a")
		proceed := make(chan struct{})
		_, controller := NewInformer(lw, &v1.Pod{}, 0, ResourceEventHandlerFuncs{AddFunc: func(any) { <-proceed }})
		defer background(t, controller.RunWithContext)()
		checker := checkerOf(controller)
		if controller.HasSynced() || IsDone(checker) || checker.Name() != "Informer *v1.Pod" {
			t.Errorf("%s: in sync while the handler is called", checker.Name())
		}
		close(proceed)
		synctest.Wait()
		if !controller.HasSynced() || !IsDone(checker) {
			t.Error("not in sync")
		}
	})
}

// The older constructors make informers that do what their arguments say.
func TestUnsharedInformerConstructors(t *testing.T) {
	byName := Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*v1.Pod).Name}, nil }}
	mark := func(obj any) (any, error) {
		obj.(*v1.Pod).Labels = map[string]string{"role": "marked"}
		return obj, nil
	}
	for name, c := range map[string]struct {
		make            func(ListerWatcher, ResourceEventHandler) (Store, Controller)
		indexed, marked bool
	}{
		"NewInformer": {
			make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
				return NewInformer(lw, &v1.Pod{}, 0, h)
			},
		},
		"NewIndexerInformer": {
			make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
				return NewIndexerInformer(lw, &v1.Pod{}, 0, h, byName)
			},
			indexed: true,
		},
		"NewTransformingInformer": {
			make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
				return NewTransformingInformer(lw, &v1.Pod{}, 0, h, mark)
			},
			marked: true,
		},
		"NewTransformingIndexerInformer": {
			make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
				return NewTransformingIndexerInformer(lw, &v1.Pod{}, 0, h, byName, mark)
			},
			indexed: true,
			marked:  true,
		},
		"NewInformerWithOptions": {
			make: func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
				return NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: &v1.Pod{}, Handler: h, Indexers: byName, Transform: mark})
			},
			indexed: true,
			marked:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, lw := podAPI("a")
				handler := &recorder{}
				store, controller := c.make(lw, handler)
				stop := make(chan struct{})
				go controller.Run(stop)
				synctest.Wait()
				want := "initial a"
				if c.marked {
					want = "initial a=marked"
				}
				same(t, "handler", handler.take(), []string{want})
				found, err := store.(Indexer).ByIndex("name", "a")
				if c.indexed != (err == nil && len(found) == 1) {
					t.Errorf("found %v, %v", found, err)
				}
				close(stop)
			})
		})
	}
}

// A panic of the handler ends the informer, and is raised where it runs.
func TestUnsharedInformerRaisesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, lw := podAPI("a", "b")
		var calls atomic.Int32
		_, controller := NewInformer(lw, &v1.Pod{}, 0, ResourceEventHandlerFuncs{AddFunc: func(any) {
			calls.Add(1)
			panic("no room")
		}})
		defer func() {
			if value := recover(); value != "no room" {
				t.Errorf("recovered %v", value)
			}
			if n := calls.Load(); n != 1 {
				t.Errorf("%d calls", n)
			}
		}()
		controller.RunWithContext(t.Context())
	})
}

// Where panics do not end the process, a handler that panics is called again, and its messages go to the
// informer's logger.
func TestUnsharedInformerOutlivesPanics(t *testing.T) {
	outlivePanics(t)
	synctest.Test(t, func(t *testing.T) {
		logger, logged := bufferedLogger(t)
		_, lw := podAPI("a", "b")
		handler := &recorder{}
		options := InformerOptions{
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Handler: ResourceEventHandlerFuncs{AddFunc: func(obj any) {
				handler.OnAdd(obj, true)
				panic(fmt.Sprint("no room for ", nameAndRole(obj)))
			}},
		}
		logs := logTo(&logger, &options)
		_, controller := NewInformerWithOptions(options)
		defer background(t, controller.RunWithContext)()
		time.Sleep(time.Minute)
		same(t, "calls", handler.take(), []string{"initial a", "initial b"})
		if !controller.HasSynced() {
			t.Error("not in sync")
		}
		if logs && !strings.Contains(logged(), "no room for a") {
			t.Errorf("logged %q", logged())
		}
	})
}

// A watch lasts for the least time that is asked for, but not for less than five
// minutes.
func TestUnsharedInformerWatchTimeout(t *testing.T) {
	for asked, least := range map[time.Duration]time.Duration{
		0:             5 * time.Minute,
		time.Second:   5 * time.Minute,
		7 * time.Hour: 7 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			api, lw := podAPI()
			_, controller := NewInformerWithOptions(InformerOptions{
				ListerWatcher:   lw,
				ObjectType:      &v1.Pod{},
				Handler:         ResourceEventHandlerFuncs{},
				MinWatchTimeout: asked,
			})
			defer background(t, controller.RunWithContext)()
			requests := api.Requests()
			got := time.Duration(*requests[len(requests)-1].Options.TimeoutSeconds) * time.Second
			if got < least || got > 2*least {
				t.Errorf("asked for %v, watches for %v", asked, got)
			}
		})
	}
}

// background calls run until the returned function is called, which returns once
// run has.
func background(t *testing.T, run func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-done
	}
}

func createPod(t *testing.T, api *cachetest.API[*v1.Pod], name string) {
	t.Helper()
	if _, err := api.Create(pod("ns", name, "")); err != nil {
		t.Fatal(err)
	}
}
