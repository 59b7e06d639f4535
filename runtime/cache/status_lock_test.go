package cache_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The status of an informer waits neither for an index function nor for goroutines that
// wait for that. Real goroutines, since a bubble does not see who waits for a lock.
func TestStatusWaitsForNobody(t *testing.T) {
	slow := func() (cache.Index[*thing], chan struct{}, func()) {
		entered, gate := make(chan struct{}, 1), make(chan struct{})
		return cache.Index[*thing]{Name: "slow", Value: func(obj *thing) string {
			if obj.Name == "slow" {
				select {
				case entered <- struct{}{}:
				default:
				}
				<-gate
			}
			return ""
		}}, entered, sync.OnceFunc(func() { close(gate) })
	}
	ask := func(t *testing.T, informer *cache.Informer[*thing], registration *cache.Registration) {
		t.Helper()
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			s := informer.Status()
			if !s.Synced || len(s.Handlers) == 0 || s.Handlers[0].Name != "first" {
				t.Errorf("status: %+v", s)
			}
			if err := informer.HealthCheck(time.Hour)(nil); err != nil {
				t.Error(err)
			}
			if err := informer.WaitForSync(t.Context()); err != nil {
				t.Error(err)
			}
			if !informer.Started() || informer.ResourceVersion() == "" || registration.Status().Name != "first" {
				t.Error("not started, or not in sync")
			}
		}()
		select {
		case <-asked:
		case <-time.After(5 * time.Minute):
			t.Error("waits")
		}
	}
	begin := func(t *testing.T, api *cachetest.API[*thing], indexes ...cache.Index[*thing]) (running, *cache.Registration) {
		informer := run(t, api, cache.Options[*thing]{Indexes: indexes})
		_, registration := informer.handle(cache.HandlerOptions{Name: "first"})
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		return informer, registration
	}
	t.Run("an index is built", func(t *testing.T) {
		informer, registration := begin(t, cachetest.NewAPI(newThing("slow")))
		index, entered, open := slow()
		var others sync.WaitGroup
		defer others.Wait()
		defer open()
		others.Go(func() {
			if err := informer.AddIndexes(index); err != nil {
				t.Error(err)
			}
		})
		<-entered
		ask(t, informer.Informer, registration)
	})
	t.Run("an object is indexed", func(t *testing.T) {
		index, entered, open := slow()
		api := cachetest.NewAPI(newThing("a"))
		informer, registration := begin(t, api, index)
		var others sync.WaitGroup
		defer others.Wait()
		defer open()
		must[*thing](t)(api.Create(newThing("slow")))
		<-entered
		waiting, wait := context.WithCancel(t.Context())
		others.Go(func() {
			wait()
			_, err := informer.AddHandler(cache.HandlerFuncs[*thing]{}, cache.HandlerOptions{Name: "second"})
			if err != nil {
				t.Error(err)
			}
		})
		<-waiting.Done()
		time.Sleep(100 * time.Millisecond) // for AddHandler to wait, where it has to
		ask(t, informer.Informer, registration)
	})
}
