package cache_test

import (
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The version of a change has been seen before the store, or a handler, can have it.
func TestVersionIsSeenBeforeItsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		var seen []string
		var informer *cache.Informer[*thing]
		informer = cache.New(api.Source(), cache.Options[*thing]{Metrics: cache.Metrics{Queued: func(deltas int) {
			if deltas > 0 {
				seen = append(seen, informer.ResourceVersion())
			}
		}}})
		start(t, informer)
		settle()
		touch(t, api, "a")
		settle()
		api.Bookmark()
		settle()
		must[*thing](t)(api.Delete(keyOf("a")))
		settle()
		expect(t, "versions when changes are queued", []string{"2", "3", "3", "4"}, seen)
	})
}

// Status and versions are no older than what was announced of the store, also while it is
// still locked.
func TestStatusOfAnnouncedChanges(t *testing.T) {
	for name, from := range map[string]func(*cachetest.API[*thing]) cache.Source[*thing]{
		"all": func(api *cachetest.API[*thing]) cache.Source[*thing] { return api.Source() },
		"namespaces": func(api *cachetest.API[*thing]) cache.Source[*thing] {
			return sourceOf(&namespaces{API: api, names: []string{"ns"}})
		},
	} {
		t.Run(name, func(t *testing.T) { statusOfAnnouncedChanges(t, from) })
	}
}

func statusOfAnnouncedChanges(t *testing.T, from func(*cachetest.API[*thing]) cache.Source[*thing]) {
	api := cachetest.NewAPI(newThing("a"))
	informer := cache.New(from(api), cache.Options[*thing]{})
	var readers sync.WaitGroup
	defer readers.Wait()
	looked := make(chan cache.Status, 100)
	cache.AtUnlock(informer, func() {
		read := make(chan struct{})
		readers.Go(func() {
			defer close(read)
			looked <- informer.Status()
		})
		for range 1000 {
			runtime.Gosched()
			select {
			case <-read:
				return
			default:
			}
		}
	})
	r := start(t, informer)
	next := func(synced bool) (s cache.Status) {
		for {
			if s = <-looked; s.Synced == synced {
				return s
			}
		}
	}
	if s := next(true); s.Objects != 1 || s.Phase != cache.PhaseWatching || s.ResourceVersion != "2" {
		t.Errorf("after the first list: %+v", s)
	}
	must[*thing](t)(api.Create(newThing("b")))
	if s := next(true); s.Objects != 2 || s.Events != 1 || s.LastEvent.IsZero() || s.ResourceVersion != "3" {
		t.Errorf("after an event: %+v", s)
	}
	api.Bookmark()
	if s := next(true); s.Bookmarks != 1 || s.LastBookmark.IsZero() {
		t.Errorf("after a bookmark: %+v", s)
	}
	r.stop()
}

// Handlers, and goroutines that wait or look, find in the store and the status what they know
// already. Real goroutines, which have to meet.
func TestAnnouncedIsThere(t *testing.T) {
	for range 300 {
		announcedIsThere(t)
	}
}

func announcedIsThere(t *testing.T) {
	const updates = 30
	api := cachetest.NewAPI(newThing("a"))
	informer := cache.New(api.Source(), cache.Options[*thing]{})
	check := func(who string, version int) {
		s := informer.Status()
		if informer.Store().Len() != 1 || !s.Synced || s.Objects != 1 || s.Phase != cache.PhaseWatching || s.Attempts != 0 {
			t.Errorf("%s: in sync with %d objects, %+v", who, informer.Store().Len(), s)
		}
		seen, err := strconv.Atoi(informer.ResourceVersion())
		if err != nil || seen < version || int(s.Events) < version-2 {
			t.Errorf("%s: version %d, status %+v", who, version, s)
		}
	}
	versionOf := func(obj *thing) int { return must[int](t)(strconv.Atoi(obj.ResourceVersion)) }
	var registration *cache.Registration
	over := make(chan struct{})
	registration = must[*cache.Registration](t)(informer.AddHandler(cache.HandlerFuncs[*thing]{
		Add: func(obj *thing, _ bool) { check("addition", versionOf(obj)) },
		Update: func(_, obj *thing) {
			check("update", versionOf(obj))
			if registration.Backlog() < 1 {
				t.Error("the handler is being called, and has no backlog")
			}
			if versionOf(obj) == updates+2 {
				close(over)
			}
		},
	}, cache.HandlerOptions{}))
	var others sync.WaitGroup
	others.Go(func() {
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		check("after WaitForSync", 2)
	})
	others.Go(func() {
		for !informer.Status().Synced {
			runtime.Gosched()
		}
		check("after Status", 2)
		for {
			obj, _ := informer.Store().Get(keyOf("a"))
			check("after Get", versionOf(obj))
			select {
			case <-over:
				return
			default:
			}
		}
	})
	r := start(t, informer)
	<-informer.Synced()
	for range updates {
		touch(t, api, "a")
	}
	<-over
	others.Wait()
	r.stop()
}

// When an informer goes on without a namespace that is refused, its status says that the
// namespace is, and not that it is being listed.
func TestStatusOfRefusedNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == "refused" }, Times: -1, Err: cachetest.Status(403)})
		var last cache.Status
		var informer *cache.Informer[*thing]
		informer = cache.New(sourceOf(&namespaces{API: api, names: []string{"ns", "refused"}}), cache.Options[*thing]{
			Metrics: cache.Metrics{Queued: func(deltas int) {
				if deltas > 0 {
					last = informer.Status()
				}
			}},
		})
		start(t, informer)
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := last.Namespaces[1]; s.Name != "refused" || s.Phase != cache.PhaseBackingOff || s.NextAttempt.IsZero() {
			t.Errorf("%s: %v", s.Name, s)
		}
	})
}
