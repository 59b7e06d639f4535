package shard_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// In an outage, a shard that changes is no sign of life, and no reason to ask more often.
func TestChangesInOutage(t *testing.T) {
	for _, watchList := range []bool{true, false} {
		t.Run(fmt.Sprintf("watch-list %v", watchList), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := things(t, 40)
				mine := shard.New(shard.UID, equal(t, 0, 2))
				r := run(t, api.Source(), mine, cache.Options[*thing]{DisableWatchList: !watchList})
				seen := r.handle(cache.HandlerOptions{})
				time.Sleep(time.Minute)
				api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
				api.BreakWatches(cachetest.ErrConnectionReset)
				time.Sleep(10 * time.Second)
				began := r.Status()
				if began.Attempts == 0 || began.FailingSince.IsZero() {
					t.Fatalf("no outage: %v", began)
				}
				for i := range 60 {
					if i == 30 {
						api.ResetRequests()
					}
					mine.Set([]shard.Ranges{nil, equal(t, 1, 2), equal(t, 1, 4), shard.All()}[i%4])
					time.Sleep(30 * time.Second)
				}
				s := r.Status()
				if !s.FailingSince.Equal(began.FailingSince) || s.Attempts < 30 || !s.LastContact.Equal(began.LastContact) {
					t.Errorf("status %+v, at the beginning %+v", s, began)
				}
				if err := r.HealthCheck(5 * time.Minute)(nil); err == nil {
					t.Error("healthy after half an hour")
				}
				if n := len(api.Requests()); n > 35 {
					t.Errorf("%d requests in a quarter of an hour: the backoff was reset", n)
				}
				api.ClearFaults()
				time.Sleep(2 * time.Minute)
				expect(t, "objects afterwards", of(api, mine), sorted(t, r.Informer, seen))
			})
		})
	}
}

// A shard that changes more often than a list takes is in sync all the same.
func TestListEndsFirst(t *testing.T) {
	for _, watchList := range []bool{true, false} {
		t.Run(fmt.Sprintf("watch-list %v", watchList), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := things(t, 40)
				slow := func(verb cachetest.Verb) {
					api.Fail(cachetest.Fault{Verb: verb, Times: -1, After: 3, Stall: 5 * time.Second})
				}
				slow(cachetest.List)
				slow(cachetest.WatchList)
				mine := shard.New(shard.UID, equal(t, 0, 2))
				r := run(t, api.Source(), mine, cache.Options[*thing]{DisableWatchList: !watchList, ListWatch: cache.ListWatch{PageSize: 10}})
				seen := r.handle(cache.HandlerOptions{})
				for i := range 60 {
					mine.Set(equal(t, i%7, 7))
					time.Sleep(time.Second)
				}
				if s := r.Status(); !s.Synced || s.Lists.Succeeded+s.WatchLists.Succeeded < 2 || s.Lists.Failed.Total()+s.WatchLists.Failed.Total() > 0 {
					t.Errorf("status %+v", s)
				}
				time.Sleep(time.Minute)
				expect(t, "objects of the shard", of(api, mine), sorted(t, r.Informer, seen))
			})
		})
	}
}

// An object that is deleted between a change and its list is deleted. A list without a change releases
// nothing.
func TestDeletionBesideRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 16)
		mine := shard.New(shard.UID, shard.All())
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		settle()
		had := len(seen.Events())
		stays, goes := "", ""
		for _, obj := range api.Objects() {
			if equal(t, 0, 2).Contains(shard.UID.Hash(obj)) {
				stays = obj.Name
			} else {
				goes = obj.Name
			}
		}
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Do: func() {
			_, _ = api.Delete(keyOf(stays))
			_, _ = api.Delete(keyOf(goes))
		}})
		mine.Set(equal(t, 0, 2))
		settle()
		for _, e := range seen.Events()[had:] {
			if want := e.Key.Name == stays; (e.Type == cachetest.Delete) != want || !want && e.Type != cachetest.Release {
				t.Errorf("%s of %s, where %s was deleted, and %s moved away and was deleted", e.Type, e.Key.Name, stays, goes)
			}
		}
		gone := of(api, mine)[0]
		had = len(seen.Events())
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Do: func() {
			_, _ = api.Delete(keyOf(gone))
			api.Compact()
		}})
		api.CloseWatches()
		time.Sleep(time.Minute)
		if events := seen.Events()[had:]; len(events) != 1 || events[0].Type != cachetest.Delete || events[0].Key.Name != gone {
			t.Errorf("after a gap: %v, want the deletion of %s", events, gone)
		}
		if reasons := r.Status().RelistReasons; reasons[failure.ClassSelectionChanged] != 1 || reasons[failure.ClassExpired] != 1 {
			t.Errorf("lists by reason: %v", reasons)
		}
	})
}

// What stays has no event, for no handler. A change of the shard is no failure.
func TestChangeIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 16)
		mine := shard.New(shard.UID, equal(t, 0, 2))
		failures := 0
		r := run(t, api.Source(), mine, cache.Options[*thing]{ListWatch: cache.ListWatch{OnFailure: func(context.Context, cache.Failure) cache.Decision {
			failures++
			return cache.Decision{}
		}}})
		seen := r.handle(cache.HandlerOptions{Unchanged: true})
		settle()
		for _, ranges := range []shard.Ranges{shard.All(), equal(t, 0, 4), nil, equal(t, 0, 4)} {
			mine.Set(ranges)
			settle()
		}
		for _, e := range seen.Events() {
			if e.Type == cachetest.Update {
				t.Errorf("update of %s", e.Key.Name)
			}
		}
		s := r.Status()
		if failures > 0 || s.Attempts > 0 || s.LastError != nil || s.Watches.Failed.Total() > 0 || s.WatchLists.Failed.Total() > 0 {
			t.Errorf("%d failures, status %+v", failures, s)
		}
		if s.Watches.Succeeded != 4 || s.WatchLists.Succeeded != 5 {
			t.Errorf("%d watches and %d watch-lists", s.Watches.Succeeded, s.WatchLists.Succeeded)
		}
	})
}

// team divides by a label, which may change.
var team = shard.ByFunc("team", func(o metav1.Object) string { return o.GetLabels()["team"] })

func of1(team string) shard.Ranges {
	hash := shard.Hash(team)
	return shard.Ranges{{First: hash, Last: hash}}
}

func ofTeam(name, team string) *thing {
	obj := newThing(name)
	obj.Labels = map[string]string{"team": team}
	return obj
}

// An object that moves away is released in the state that the store has, and handlers do not see objects
// of other shards.
func TestMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(ofTeam("first", "red"), ofTeam("other", "blue"))
		r := run(t, api.Source(), shard.New(team, of1("red")), cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		var why cause.Cause
		var released []string
		must[*cache.Registration](t)(r.AddHandler(cache.HandlerFuncs[*thing]{Release: func(last *thing) {
			released = append(released, fmt.Sprintf("%s of %s, %v", last.Name, last.Labels["team"], why))
		}}, cache.HandlerOptions{Cause: &why}))
		for _, change := range []func(){
			func() { must[*thing](t)(api.Update(ofTeam("other", "green"))) },
			func() { must[*thing](t)(api.Create(ofTeam("never", "blue"))) },
			func() { must[*thing](t)(api.Delete(keyOf("never"))) },
			func() {
				must[*thing](t)(api.Create(ofTeam("brief", "red")))
				must[*thing](t)(api.Update(ofTeam("brief", "blue")))
			},
			func() { must[*thing](t)(api.Update(ofTeam("first", "blue"))) },
			func() { must[*thing](t)(api.Delete(keyOf("first"))) },
		} {
			change()
			settle()
		}
		expect(t, "events", []string{"add first", "add brief", "release brief", "release first"}, typesAndNames(seen))
		if err := seen.Err(); err != nil {
			t.Error(err)
		}
		expect(t, "released", []string{"brief of red, released", "first of red, released"}, released)
		if s := r.Status(); s.ResourceVersion != api.ResourceVersion() {
			t.Errorf("resourceVersion %s, want %s", s.ResourceVersion, api.ResourceVersion())
		}
	})
}

// initialEvents is a source whose watch-list delivers events that end with the bookmark.
type initialEvents struct {
	cache.Objects
	events []cache.WatchEvent
}

func (s initialEvents) Watch(ctx context.Context, _ metav1.ListOptions) (cache.Watcher, error) {
	return &eventWatcher{ctx, s.events}, nil
}

type eventWatcher struct {
	ctx    context.Context
	events []cache.WatchEvent
}

func (w *eventWatcher) Next() (event cache.WatchEvent, _ error) {
	if len(w.events) == 0 {
		<-w.ctx.Done()
		return event, w.ctx.Err()
	}
	event, w.events = w.events[0], w.events[1:]
	return event, nil
}

func (w *eventWatcher) Stop() {}

// An object that moves away among the initial events of a watch-list is not in the list.
func TestMovesInWatchList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		event := func(kind watch.EventType, name, team, version string) cache.WatchEvent {
			obj := ofTeam(name, team)
			obj.UID, obj.ResourceVersion = types.UID(name), version
			return cache.WatchEvent{Type: kind, Object: obj}
		}
		source := cache.Source[*thing]{Objects: initialEvents{cachetest.NewAPI[*thing](), []cache.WatchEvent{
			event(watch.Added, "moves", "red", "1"),
			event(watch.Added, "stays", "red", "2"),
			event(watch.Added, "other", "blue", "3"),
			event(watch.Modified, "moves", "blue", "4"),
			event(watch.Modified, "other", "red", "5"),
			{Type: watch.Bookmark, ResourceVersion: "5", InitialEventsEnd: true},
		}}}
		r := run(t, source, shard.New(team, of1("red")), cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		settle()
		expect(t, "objects", []string{"other", "stays"}, sorted(t, r.Informer, seen))
	})
}

// An object that is left out is so no longer when it moves away.
func TestMovesLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(ofTeam("first", "red"))
		r := run(t, api.Source(), shard.New(team, of1("red")), cache.Options[*thing]{
			Transform: func(*thing) (*thing, error) { return nil, fmt.Errorf("no good") },
		})
		settle()
		left := r.Status().LeftOut
		must[*thing](t)(api.Update(ofTeam("first", "blue")))
		settle()
		if now := r.Status().LeftOut; left != 1 || now != 0 {
			t.Errorf("%d left out, and %d after it moved away", left, now)
		}
	})
}

// An object that is left out stays that while a shard that has gained hashes lists again.
func TestLeftOutWhileItLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		hash := shard.UID.Hash(must[*thing](t)(api.Get(keyOf("a"))))
		mine := shard.New(shard.UID, shard.Ranges{{First: hash, Last: hash}})
		r := run(t, api.Source(), mine, cache.Options[*thing]{DisableWatchList: true, Transform: func(*thing) (*thing, error) {
			return nil, errors.New("no good")
		}})
		get := func(when string, left bool) {
			t.Helper()
			settle()
			if _, exists, err := r.Get(t.Context(), keyOf("a")); exists || errors.Is(err, failure.ErrLeftOut) != left || !left && err != nil {
				t.Errorf("%s: got %v, %v; want left out %v", when, exists, err, left)
			}
		}
		get("at first", true)
		api.Fail(cachetest.Fault{Verb: cachetest.List, Times: 1, Hang: true})
		mine.Set(shard.All())
		get("while it lists", true)
		time.Sleep(10 * time.Minute)
		get("when it has listed", true)
		mine.Set(nil)
		get("without hashes", false)
	})
}
