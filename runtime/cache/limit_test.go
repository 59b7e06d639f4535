package cache_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// limits is an informer of ten objects that can be made to list again.
type limits struct {
	running
	api *cachetest.API[*thing]
	// open lets the handlers go that are stuck.
	open []func()
}

const limitedThings = 10

func newLimits(t *testing.T) *limits {
	l := &limits{api: cachetest.NewAPI[*thing]()}
	for n := range limitedThings {
		must[*thing](t)(l.api.Create(newThing(fmt.Sprint("thing", n))))
	}
	l.running = run(t, l.api, cache.Options[*thing]{DisableWatchList: true})
	settle()
	return l
}

// stuck adds a handler that does not return from its first update.
func (l *limits) stuck(options cache.HandlerOptions) (registration *cache.Registration, gate chan struct{}) {
	l.t.Helper()
	gate = make(chan struct{})
	l.open = append(l.open, sync.OnceFunc(func() { close(gate) }))
	registration = must[*cache.Registration](l.t)(l.AddHandler(cache.HandlerFuncs[*thing]{
		Update: func(_, _ *thing) { <-gate },
	}, options))
	settle()
	return registration, gate
}

// letGo lets the handlers go that are stuck.
func (l *limits) letGo() {
	for _, open := range l.open {
		open()
	}
	settle()
}

// touch changes the first n objects, and waits for the store.
func (l *limits) touch(n int) {
	for i := range n {
		touch(l.t, l.api, fmt.Sprint("thing", i))
	}
	settle()
}

// relist makes the informer miss a change of the first n objects, and list.
func (l *limits) relist(n int) {
	l.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.ErrConnectionRefused})
	l.api.BreakWatches(cachetest.ErrConnectionReset)
	settle()
	l.touch(n)
	must[*thing](l.t)(l.api.Create(newThing("lost")))
	must[*thing](l.t)(l.api.Delete(keyOf("lost")))
	l.api.Compact()
	before := l.Status().Relists
	time.Sleep(5 * time.Minute) // also forgets the failure
	if l.Status().Relists == before {
		l.t.Error("the informer did not list again")
	}
}

func (l *limits) expectBacklog(of *cache.Registration, want int) {
	l.t.Helper()
	if err := of.Err(); err != nil {
		l.t.Errorf("removed: %v", err)
	}
	if got := of.Backlog(); got != want {
		l.t.Errorf("Backlog: got %d, want %d", got, want)
	}
}

func (l *limits) expectRemoved(registration *cache.Registration) {
	l.t.Helper()
	if err := registration.Err(); !errors.Is(err, failure.ErrBacklogFull) {
		l.t.Errorf("Err: %v", err)
	}
}

// Which events count toward the limit of a handler.
func TestLimit(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(*limits)
	}{
		{"unchanged objects that another handler wants", func(l *limits) {
			all, _ := l.handle(cache.HandlerOptions{Unchanged: true})
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3})
			l.touch(1)
			l.expectBacklog(registration, 1)
			for range 3 {
				l.relist(0)
			}
			l.expectBacklog(registration, 1)
			l.letGo()
			l.expectBacklog(registration, 0)
			if n := registration.Status().Delivered; n != limitedThings+1 {
				l.t.Errorf("Delivered: got %d, want %d", n, limitedThings+1)
			}
			if n := len(all.Events()); n != limitedThings+1+3*limitedThings {
				l.t.Errorf("the handler that wants them got %d events", n)
			}
		}},
		{"unchanged objects that the handler wants", func(l *limits) {
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3, Unchanged: true})
			l.relist(0)
			l.expectBacklog(registration, limitedThings)
			l.relist(0)
			l.expectRemoved(registration)
		}},
		{"a relist of more events than the limit", func(l *limits) {
			recorder, registration := l.handle(cache.HandlerOptions{Limit: 3})
			settle()
			for range 3 {
				l.relist(limitedThings)
			}
			l.expectBacklog(registration, 0)
			if n := len(recorder.Events()); n != 4*limitedThings {
				l.t.Errorf("%d events", n)
			}
		}},
		{"what follows a relist", func(l *limits) {
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3})
			l.relist(limitedThings)
			l.expectBacklog(registration, limitedThings)
			l.touch(3)
			l.expectBacklog(registration, limitedThings+3)
			l.touch(1)
			l.expectRemoved(registration)
		}},
		{"a second relist behind which the handler still is", func(l *limits) {
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3})
			l.relist(limitedThings)
			l.relist(3)
			l.expectBacklog(registration, limitedThings+3)
			l.relist(1)
			l.expectRemoved(registration)
		}},
		{"a second relist after the first was taken", func(l *limits) {
			registration, gate := l.stuck(cache.HandlerOptions{Limit: 3})
			l.relist(limitedThings)
			for range limitedThings {
				gate <- struct{}{}
			}
			settle()
			l.relist(limitedThings)
			l.expectBacklog(registration, limitedThings)
		}},
		{"what came before the handler", func(l *limits) {
			l.stuck(cache.HandlerOptions{}) // keeps the log
			l.touch(limitedThings)
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3})
			l.touch(3)
			l.expectBacklog(registration, 3)
		}},
		{"a handler that coalesces is behind a relist", func(l *limits) {
			registration, _ := l.stuck(cache.HandlerOptions{Limit: 3, Coalesce: true})
			l.touch(1)
			for range 5 {
				l.relist(limitedThings)
			}
			l.expectBacklog(registration, 1+limitedThings)
			l.letGo()
			l.expectBacklog(registration, 0)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimits(t)
				test.do(l)
				l.letGo()
			})
		})
	}
}
