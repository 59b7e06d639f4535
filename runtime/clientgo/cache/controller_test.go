package cache

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// deltaDiary writes down the deltas that a controller processes.
type deltaDiary struct{ diary }

func (d *deltaDiary) process(obj any, initial bool) error {
	for _, delta := range obj.(Deltas) {
		switch o := delta.Object.(type) {
		case *v1.Pod:
			d.write(delta.Type, state(o), initial)
		case ReplacedAllInfo:
			d.write(delta.Type, len(o.Objects), "at", o.ResourceVersion, initial)
		default:
			d.write(delta.Type, initial)
		}
	}
	return nil
}

func (d *deltaDiary) processBatch(deltas []Delta, initial bool) error {
	return d.write("batch of", len(deltas), initial)
}

func createPod(t *testing.T, api *cachetest.API[*v1.Pod], name string) {
	t.Helper()
	if _, err := api.Create(pod("ns", name, "")); err != nil {
		t.Fatal(err)
	}
}

// A controller fills the queue that it is given and processes what comes out.
func TestController(t *testing.T) {
	for name, c := range map[string]struct {
		queue func() Queue
		list  string
		// later are an event and a resync.
		later []string
	}{
		"in order": {
			queue: func() Queue { return NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true}) },
			list:  "ReplacedAll 1 at 2 true",
			later: []string{"Added b@3 false", "SyncAll false"},
		},
		"by key": {
			queue: func() Queue { return NewDeltaFIFOWithOptions(DeltaFIFOOptions{EmitDeltaTypeReplaced: true}) },
			list:  "Replaced a@2 true",
			later: []string{"Added b@3 false"},
		},
		"of client-go": {
			queue: func() Queue { return cache.NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true}) },
			list:  "ReplacedAll 1 at 2 true",
			later: []string{"Added b@3 false", "SyncAll false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, lw := podAPI("a")
				diary := &deltaDiary{}
				controller := New(&Config{
					Queue:            c.queue(),
					ListerWatcher:    lw,
					ObjectType:       &v1.Pod{},
					Process:          diary.process,
					FullResyncPeriod: time.Minute,
				})
				if controller.HasSynced() || controller.LastSyncResourceVersion() != "" {
					t.Error("in sync before the start")
				}
				defer background(t, controller.RunWithContext)()

				same(t, "list", diary.read(), []string{c.list})
				if !controller.HasSynced() || !IsDone(controller.HasSyncedChecker()) {
					t.Error("not in sync")
				}
				createPod(t, api, "b")
				time.Sleep(time.Minute)
				same(t, "event and resync", diary.read(), c.later)
				if version := controller.LastSyncResourceVersion(); version != "3" {
					t.Errorf("version %q", version)
				}
			})
		})
	}
}

// A queue of batches, and a config that wants them, process batches.
func TestControllerProcessesBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI()
		diary := &deltaDiary{}
		processing, proceed := make(chan struct{}), make(chan struct{})
		controller := New(&Config{
			Queue:         NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true}),
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Process: func(obj any, initial bool) error {
				if !initial {
					close(processing)
					<-proceed
				}
				return diary.process(obj, initial)
			},
			ProcessBatch: diary.processBatch,
		})
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			controller.Run(stop)
		}()
		synctest.Wait()
		createPod(t, api, "a")
		<-processing
		createPod(t, api, "b")
		createPod(t, api, "c")
		synctest.Wait()
		close(proceed)
		same(t, "processed", diary.read(), []string{"ReplacedAll 0 at 1 true", "Added a@2 false", "batch of 2 false"})
		close(stop)
		<-done
	})
}

// Both handlers of watch errors get the error of a list that failed, the older one
// first of all.
func TestControllerWatchErrors(t *testing.T) {
	for name, configure := range map[string]func(*Config, func(*Reflector, error)){
		"with a context": func(c *Config, handle func(*Reflector, error)) {
			c.WatchErrorHandlerWithContext = func(_ context.Context, r *Reflector, err error) { handle(r, err) }
		},
		"without": func(c *Config, handle func(*Reflector, error)) {
			c.WatchErrorHandler = handle
			c.WatchErrorHandlerWithContext = func(context.Context, *Reflector, error) { panic("not this one") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, lw := podAPI()
				lw.ListOnly = true
				api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.Status(403)})
				var failures []string
				config := &Config{
					Queue:             NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true}),
					ListerWatcher:     lw,
					ObjectType:        &v1.Pod{},
					ObjectDescription: "pods of the test",
					Process:           func(any, bool) error { return nil },
				}
				configure(config, func(r *Reflector, err error) {
					failures = append(failures, fmt.Sprint(r.TypeDescription(), ", forbidden: ", apierrors.IsForbidden(err)))
				})
				controller := New(config)
				defer background(t, controller.RunWithContext)()
				time.Sleep(time.Minute)
				same(t, "failures", failures, []string{"pods of the test, forbidden: true"})
				if !controller.HasSynced() {
					t.Error("not in sync after the second list")
				}
			})
		})
	}
}

// A controller does not wait for ever for the end of a watch-list.
func TestControllerWithoutBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, lw := podAPI("a")
		api.SetWatchList(cachetest.WatchListEndless)
		config := &Config{
			Queue:         NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true}),
			ListerWatcher: lw,
			ObjectType:    &v1.Pod{},
			Process:       func(any, bool) error { return nil },
		}
		controller := New(config)
		defer background(t, controller.RunWithContext)()
		time.Sleep(bookmarkTimeout + time.Second)
		if !controller.HasSynced() {
			t.Error("not in sync")
		}
		if config.ListerWatcher != ListerWatcher(lw) {
			t.Error("the config has changed")
		}
	})
}
