package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// A watch-list whose bookmark never comes is given up, once and for all.
func TestBookmarkNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
		informer := run(t, api, cache.Options[*thing]{ListWatch: cache.ListWatch{BookmarkTimeout: 8 * time.Second}})

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := informer.WaitForSync(ctx)
		var sync *cache.SyncError
		if !errors.As(err, &sync) || sync.Status.Phase != cache.PhaseStreaming || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitForSync: got %v", err)
		}
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		settle()
		expect(t, "requests", []string{"watchlist ", "list 0", "watch 2"}, requests(api))

		// After a failure the informer does not try a watch-list again.
		time.Sleep(2 * time.Second)
		api.ResetRequests()
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(500)})
		api.CloseWatches()
		time.Sleep(time.Minute)
		expect(t, "requests", []string{"watch 2", "list 2", "watch 2"}, requests(api))
	})
}

// A watch-list that the server refuses is a list, and the next one is tried
// again.
func TestWatchListRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, Err: cachetest.Status(422)})
		informer := run(t, api, cache.Options[*thing]{})
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		settle()
		expect(t, "requests", []string{"watchlist ", "list 0", "watch 2"}, requests(api))
	})
}

// Watch-lists that get a 429 again and again are a list, no sooner than the server says: its
// cache may serve what it has, but not the latest state.
func TestWatchListsThatAreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, Err: cachetest.StatusRetryAfter(429, 20)})
		informer := run(t, api, cache.Options[*thing]{})
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := informer.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != time.Minute {
			t.Errorf("in sync after %v, want 1m0s", waited)
		}
		settle()
		expect(t, "requests", []string{"watchlist ", "watchlist ", "watchlist ", "list 0", "watch 2"}, requests(api))
	})
}

// lagging is a server whose cache stands still at a version. It answers each list with that version, except
// for lists of the latest state.
type lagging struct {
	*cachetest.API[*thing]
	version string
}

func (l lagging) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	if options.ResourceVersion == "" {
		return l.API.List(ctx, options, each)
	}
	each(made("a", "u", l.version, "x"), nil)
	return metav1.ListMeta{ResourceVersion: l.version}, nil
}

// A list whose version the server has no more is not asked for again.
func TestListThatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		touch(t, api, "a")
		api.Compact()
		r := start(t, cache.New(sourceOf(lagging{api, "2"}), cache.Options[*thing]{DisableWatchList: true}))
		time.Sleep(time.Minute)
		settle()
		expect(t, "store", names(api.Objects()), names(r.Store().List()))
		expect(t, "requests", []string{"watch 2", "list ", "watch 3"}, requests(api))
	})
}

// Failures are met with growing pauses, however they look.
func TestNoHotLoop(t *testing.T) {
	for name, fault := range map[string]cachetest.Fault{
		"forbidden":         {Err: cachetest.Status(403)},
		"server error":      {Err: cachetest.Status(500)},
		"no server":         {Err: cachetest.ErrConnectionRefused},
		"expired":           {Err: cachetest.Status(410)},
		"unknown":           {Err: errors.New("bad luck")},
		"watch breaks":      {Verb: cachetest.Watch, Opened: true, Err: cachetest.ErrConnectionReset},
		"watch ends":        {Verb: cachetest.Watch, Err: cachetest.Status(410)},
		"watch-list broken": {Verb: cachetest.WatchList, Opened: true, Err: cachetest.ErrConnectionReset},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				fault.Times = -1
				api.Fail(fault)
				run(t, api, cache.Options[*thing]{DisableWatchList: fault.Verb == cachetest.Watch})
				time.Sleep(10 * time.Minute)
				if n := len(api.Requests()); n < 5 || n > 100 {
					t.Errorf("%d requests in 10 minutes", n)
				}
			})
		})
	}
}

// A server that asks for time is given it.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Err: cachetest.StatusRetryAfter(429, 90)})
		informer := run(t, api, cache.Options[*thing]{})
		begin := time.Now()
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != 90*time.Second {
			t.Errorf("in sync after %v, want 90s", waited)
		}
	})
}

// A watch on which nothing comes any more is opened again.
func TestSilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Hang: true})
		informer := run(t, api, cache.Options[*thing]{DisableWatchList: true, ListWatch: cache.ListWatch{IdleTimeout: time.Minute}})
		settle()
		touch(t, api, "a")
		time.Sleep(61 * time.Second)
		settle()
		expect(t, "store", []string{"a 3"}, names(informer.Store().List()))
		// A page of one object shows whether the server still has the version.
		expect(t, "requests", []string{"list 0", "watch 2", "list ", "watch 2"}, requests(api))
		if s := informer.Status(); s.Attempts != 0 || s.LastError != nil {
			t.Errorf("status: %+v", s)
		}
	})
}

// A transform is applied once to each state, before anybody sees it. An error or a
// panic of it concerns one object, and nil leaves one out without a report.
func TestTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("bad"), newThing("worse"), newThing("unwanted"))
		calls := map[string]int{}
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true, Transform: func(obj *thing) (*thing, error) {
			calls[obj.Name+obj.ResourceVersion]++
			switch obj.Name {
			case "bad":
				return nil, errors.New("no good")
			case "worse":
				panic("at the disco")
			case "unwanted":
				return nil, nil
			}
			obj.Labels = map[string]string{"seen": obj.ResourceVersion}
			return obj, nil
		}})
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		touch(t, api, "a")
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		api.CloseWatches()
		time.Sleep(time.Minute)

		expect(t, "events", []string{"add a 2 initial", "update a 2 6"}, lines(recorder.Events()))
		if got, _ := r.Store().Get(keyOf("a")); got.Labels["seen"] != "6" {
			t.Errorf("labels: %v", got.Labels)
		}
		if calls["a2"] != 1 || calls["a6"] != 1 {
			t.Errorf("calls: %v", calls)
		}
		if got := r.Status().LastObjectError; got == nil || strings.Contains(got.Error(), "unwanted") {
			t.Errorf("last object error: %v", got)
		}
	})
}

// One object that can't be decoded does not keep the others away.
func TestUndecodableObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		api.Fail(
			cachetest.Fault{Verb: cachetest.List, Err: &failure.ObjectError{Err: errors.New("garbled")}},
			cachetest.Fault{Verb: cachetest.Watch, Err: &failure.ObjectError{Err: errors.New("garbled")}},
		)
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		settle()
		expect(t, "store", []string{"b 3"}, names(r.Store().List()))
		touch(t, api, "b")
		touch(t, api, "a")
		settle()
		expect(t, "store", []string{"a 5", "b 3"}, names(r.Store().List()))
	})
}

// An object that can't be decoded any more is not taken for one that is gone.
func TestObjectBecomesUndecodable(t *testing.T) {
	for _, test := range []struct {
		name        string
		noWatchList bool
		relist      cachetest.Verb
		requests    []string
	}{
		{"list", true, cachetest.List, []string{"list 0", "watch 3", "watch 4", "list 4", "watch 4", "list "}},
		{"watch-list", false, cachetest.WatchList, []string{"watchlist ", "watch 4", "watchlist 4", "list "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				r := run(t, api, cache.Options[*thing]{DisableWatchList: test.noWatchList})
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				api.Fail(
					cachetest.Fault{Verb: test.relist, Err: &failure.ObjectError{Err: errors.New("garbled")}},
					cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)},
				)
				touch(t, api, "b")
				time.Sleep(2 * time.Second)
				api.CloseWatches()
				time.Sleep(time.Minute)
				expect(t, "events", []string{"add a 2 initial", "add b 3 initial", "update b 3 4"}, lines(recorder.Events()))
				touch(t, api, "a")
				settle()
				expect(t, "store", []string{"a 5", "b 4"}, names(r.Store().List()))
				expect(t, "requests", test.requests, requests(api))
			})
		})
	}
}

// A connection that was cut before the answer is no watch that the server closed
// at once: there is nothing to list.
func TestWatchNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: fmt.Errorf("get: %w", io.EOF)})
		run(t, api, cache.Options[*thing]{DisableWatchList: true})
		time.Sleep(time.Minute)
		expect(t, "requests", []string{"list 0", "watch 2", "watch 2"}, requests(api))
	})
}

// A list that is never answered has failed, and the next one may not.
func TestSilentList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		api.Fail(
			cachetest.Fault{Verb: cachetest.List, Hang: true},
			cachetest.Fault{Verb: cachetest.List, After: 1, Hang: true},
		)
		informer := run(t, api, cache.Options[*thing]{DisableWatchList: true, ListWatch: cache.ListWatch{IdleTimeout: time.Minute}})
		time.Sleep(80 * time.Second)
		if s := informer.Status(); s.Attempts != 1 || !errors.Is(s.LastError, failure.ErrListIdle) {
			t.Errorf("status: %+v", s)
		}
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, "store", []string{"a 2", "b 3"}, names(informer.Store().List()))
	})
}

// unordered hides what a source says of its versions.
func unordered(source cache.Source[*thing]) cache.Source[*thing] {
	return cache.Source[*thing]{Objects: undescribed{source}}
}

type undescribed struct{ cache.Objects }

func (undescribed) Describe() cache.SourceInfo { return cache.SourceInfo{} }

// An event that comes a second time is a duplicate, if the versions of the source have
// an order and nothing came in between.
func TestDuplicates(t *testing.T) {
	for _, test := range []struct {
		name    string
		source  func(cache.Source[*thing]) cache.Source[*thing]
		updates []string
	}{
		{"ordered", func(source cache.Source[*thing]) cache.Source[*thing] { return source }, []string{"update a 2 3"}},
		{"no known order", unordered, []string{"update a 2 3", "update a 3 3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, After: 1, Repeat: 1})
				r := start(t, cache.New(test.source(api.Source()), cache.Options[*thing]{DisableWatchList: true}))
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				touch(t, api, "a")
				settle()
				touch(t, api, "a")
				settle()
				want := append([]string{"add a 2 initial"}, append(test.updates, "update a 3 4")...)
				expect(t, "events", want, lines(recorder.Events()))
			})
		})
	}
}

// An event that is older than what came before it is delivered, and its object looked
// up: only the server knows which of the two it was.
func TestOutdatedEvents(t *testing.T) {
	for _, test := range []struct {
		name   string
		fault  cachetest.Fault
		script func(*testing.T, *cachetest.API[*thing])
		events []string
	}{
		{
			name:  "an addition after the deletion",
			fault: cachetest.Fault{Verb: cachetest.Watch, After: 3, Repeat: 3},
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				must[*thing](t)(api.Create(newThing("b")))
				touch(t, api, "a")
				must[*thing](t)(api.Delete(keyOf("b")))
			},
			events: []string{"add a 2 initial", "add b 3", "update a 2 4", "delete b 5", "add b 3", "update a 4 6", "delete b 3 unseen"},
		},
		{
			name:  "an earlier update",
			fault: cachetest.Fault{Verb: cachetest.Watch, After: 2, Repeat: 2},
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				must[*thing](t)(api.Create(newThing("b")))
				touch(t, api, "b")
			},
			events: []string{"add a 2 initial", "add b 3", "update b 3 4", "update b 4 3", "update a 2 5", "update b 3 4"},
		},
		{
			name:  "an earlier update, before the end of the watch",
			fault: cachetest.Fault{Verb: cachetest.Watch, After: 2, Repeat: 2},
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				time.Sleep(2 * time.Second)
				must[*thing](t)(api.Create(newThing("b")))
				touch(t, api, "b")
				settle()
				api.CloseWatches()
			},
			events: []string{"add a 2 initial", "add b 3", "update b 3 4", "update b 4 3", "update a 2 5", "update b 3 4"},
		},
		{
			name:  "an initial event after the end of a watch-list",
			fault: cachetest.Fault{Verb: cachetest.WatchList, After: 3, Repeat: 3},
			script: func(t *testing.T, api *cachetest.API[*thing]) {
				touch(t, api, "a")
			},
			events: []string{"add a 2 initial", "update a 2 3", "update a 3 2", "update a 2 4"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				api.Fail(test.fault)
				r := run(t, api, cache.Options[*thing]{DisableWatchList: test.fault.Verb == cachetest.Watch})
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				test.script(t, api)
				settle()
				touch(t, api, "a")
				time.Sleep(time.Minute)
				expect(t, "events", test.events, lines(recorder.Events()))
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
			})
		})
	}
}

// A server that comes back with a new history may be silent: what was is found out,
// though not what happened in between.
func TestNewHistory(t *testing.T) {
	restored := func(t *testing.T, api *cachetest.API[*thing]) {
		if err := api.Restore("3"); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		name        string
		noWatchList bool
		happens     func(*testing.T, *cachetest.API[*thing])
		within      time.Duration
	}{
		{"silent after a list", true, restored, 6 * time.Minute},
		{"silent after a watch-list", false, restored, 6 * time.Minute},
		{"expired at once", true, func(t *testing.T, api *cachetest.API[*thing]) {
			api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
			restored(t, api)
		}, 10 * time.Second},
		{"the same versions of other states", true, func(t *testing.T, api *cachetest.API[*thing]) {
			api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
			restored(t, api)
			obj := must[*thing](t)(api.Get(keyOf("a")))
			obj.Labels = map[string]string{"of": "another history"}
			must[*thing](t)(api.Update(obj))
		}, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"))
				r := run(t, api, cache.Options[*thing]{DisableWatchList: test.noWatchList})
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				for range 5 {
					touch(t, api, "a")
				}
				settle()
				time.Sleep(3 * time.Second)
				test.happens(t, api)
				time.Sleep(test.within)
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
				if got, _ := r.Store().Get(keyOf("a")); got.Labels["of"] != must[*thing](t)(api.Get(keyOf("a"))).Labels["of"] {
					t.Error("the object is that of the other history")
				}
				touch(t, api, "b")
				settle()
				expect(t, "store later", names(api.Objects()), names(r.Store().List()))
				if err := recorder.Err(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// An informer backs off before it opens a watch again that is closed each time after its first event.
func TestShortWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, After: 1, Err: io.EOF})
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		settle()
		for range 10 {
			touch(t, api, "a")
			time.Sleep(2 * time.Minute)
		}
		if n := len(api.Requests()); n > 15 {
			t.Errorf("%d requests", n)
		}
		expect(t, "store", names(api.Objects()), names(r.Store().List()))
	})
}

// An object that could not be decoded for a while is picked up.
func TestObjectBecomesReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		api.Fail(cachetest.Fault{Verb: cachetest.List, Err: &failure.ObjectError{Err: errors.New("garbled")}})
		r := run(t, api, cache.Options[*thing]{DisableWatchList: true})
		time.Sleep(time.Hour)
		expect(t, "store", []string{"a 2", "b 3"}, names(r.Store().List()))
	})
}
