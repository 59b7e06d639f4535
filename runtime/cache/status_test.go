package cache_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// The status says what happened.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{Name: "things", DisableWatchList: true, Indexes: []cache.Index[*thing]{{
			Name: "fails", Value: func(*thing) string { panic("no value") },
		}}})
		time.Sleep(5 * time.Second)
		touch(t, api, "a")
		settle()
		event := time.Since(begin)
		time.Sleep(5 * time.Second)
		api.Bookmark()
		settle()
		bookmark := time.Since(begin)
		api.CloseWatches()
		time.Sleep(5 * time.Second)
		settle()
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		api.CloseWatches()
		time.Sleep(time.Minute)

		s := informer.Status()
		if s.Name != "things" || s.Phase != cache.PhaseWatching || !s.Synced || s.Objects != 2 || s.ResourceVersion != "4" {
			t.Errorf("status: %+v", s)
		}
		if got := s.Started.Sub(begin); got != 0 {
			t.Errorf("Started after %v", got)
		}
		if got := s.LastEvent.Sub(begin); got != event {
			t.Errorf("LastEvent after %v, want %v", got, event)
		}
		if got := s.LastBookmark.Sub(begin); got != bookmark {
			t.Errorf("LastBookmark after %v, want %v", got, bookmark)
		}
		if s.LastContact.Sub(begin) <= bookmark {
			t.Errorf("LastContact after %v", s.LastContact.Sub(begin))
		}
		if s.Reconnects != 1 || s.Relists != 1 || failure.ClassOf(s.RelistReason) != failure.ClassExpired {
			t.Errorf("%d reconnects, %d relists because of %v", s.Reconnects, s.Relists, s.RelistReason)
		}
		if want := (failure.Outcomes{Succeeded: 2}); s.Lists != want {
			t.Errorf("lists %+v, want %+v", s.Lists, want)
		}
		if want := (failure.Outcomes{Succeeded: 2, Failed: failure.Counts{failure.ClassExpired: 1}}); s.Watches != want {
			t.Errorf("watches %+v, want %+v", s.Watches, want)
		}
		if want := (failure.Counts{failure.ClassExpired: 1}); s.RelistReasons != want {
			t.Errorf("relists because of %v, want %v", s.RelistReasons, want)
		}
		if s.Events != 1 || s.Bookmarks != 1 || s.WatchLists != (failure.Outcomes{}) {
			t.Errorf("%d events, %d bookmarks, watch-lists %+v", s.Events, s.Bookmarks, s.WatchLists)
		}
		if s.ObjectErrors != 3 || !strings.Contains(s.LastObjectError.Error(), `index "fails": object "ns/a": panic: no value`) {
			t.Errorf("%d object errors, the last %v", s.ObjectErrors, s.LastObjectError)
		}
	})
}

// While an informer lists, its status says how far it is, and of how many if the server says.
func TestProgressOfList(t *testing.T) {
	type progress struct{ received, expected int }
	for _, test := range []struct {
		name    string
		options cache.Options[*thing]
		faults  []cachetest.Fault
		// want is the progress at each second.
		want []progress
	}{
		{"pages", cache.Options[*thing]{ListWatch: cache.ListWatch{PageSize: 2}, DisableWatchList: true}, []cachetest.Fault{
			{Verb: cachetest.List, Page: 1, Delay: 500 * time.Millisecond},
			{Verb: cachetest.List, Page: 2, Stall: time.Second, After: 1},
			{Verb: cachetest.List, Page: 3, Delay: time.Second},
		}, []progress{{0, 0}, {3, 5}, {4, 5}, {5, 0}}},
		{"one page", cache.Options[*thing]{DisableWatchList: true}, []cachetest.Fault{
			{Verb: cachetest.List, After: 3, Stall: 2500 * time.Millisecond},
		}, []progress{{3, 0}, {3, 0}, {3, 0}, {5, 0}}},
		{"watch-list", cache.Options[*thing]{}, []cachetest.Fault{
			{Verb: cachetest.WatchList, After: 3, Stall: 2500 * time.Millisecond},
		}, []progress{{3, 0}, {3, 0}, {3, 0}, {5, 0}}},
		{"a page fails", cache.Options[*thing]{ListWatch: cache.ListWatch{PageSize: 2}, DisableWatchList: true}, []cachetest.Fault{
			{Verb: cachetest.List, Page: 2, Delay: 1500 * time.Millisecond, Err: cachetest.Status(500)},
		}, []progress{{2, 5}, {2, 5}, {2, 0}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"), newThing("b"), newThing("c"), newThing("d"), newThing("e"))
				api.SetWatchCache(test.options.PageSize == 0) // which answers with one page
				api.Fail(test.faults...)
				informer := run(t, api, test.options)
				for second, want := range test.want {
					synctest.Wait()
					if s := informer.Status(); s.Received != want.received || s.Expected != want.expected {
						t.Errorf("after %d s: %d of %d, want %d of %d", second, s.Received, s.Expected, want.received, want.expected)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// Each request counts once, by how it ended: what a watch-list becomes is a watch, and what
// the end of the informer cuts does not count.
func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(
			cachetest.Fault{Verb: cachetest.WatchList, Err: cachetest.Status(403)},
			cachetest.Fault{Verb: cachetest.List, Err: cachetest.Status(500)},
		)
		informer := cache.New(api.Source(), cache.Options[*thing]{})
		r := start(t, informer)
		time.Sleep(time.Minute)
		api.BreakWatches(cachetest.ErrConnectionRefused)
		time.Sleep(time.Minute)
		api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
		api.CloseWatches()
		time.Sleep(time.Minute)
		r.stop()
		s := informer.Status()
		for _, of := range []struct {
			verb      string
			got, want failure.Outcomes
		}{
			{"lists", s.Lists, failure.Outcomes{Failed: failure.Counts{failure.ClassServerError: 1}}},
			{"watch-lists", s.WatchLists, failure.Outcomes{Succeeded: 2, Failed: failure.Counts{failure.ClassForbidden: 1}}},
			{"watches", s.Watches, failure.Outcomes{Succeeded: 1, Failed: failure.Counts{failure.ClassConnection: 1, failure.ClassExpired: 1}}},
		} {
			if of.got != of.want {
				t.Errorf("%s: %+v, want %+v", of.verb, of.got, of.want)
			}
		}
	})
}

// An informer is healthy as long as something says that its store is up to date.
func TestHealthCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		informer := cache.New(api.Source(), cache.Options[*thing]{Name: "things"})
		check := informer.HealthCheck(5 * time.Minute)
		time.Sleep(time.Hour)
		if err := check(nil); err != nil {
			t.Errorf("not started: %v", err)
		}
		r := start(t, informer)
		for range 20 {
			time.Sleep(time.Minute)
			api.Bookmark()
			if err := check(nil); err != nil {
				t.Errorf("up to date: %v", err)
			}
		}
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(503)})
		api.BreakWatches(cachetest.ErrConnectionReset)
		time.Sleep(6 * time.Minute)
		err := check(nil)
		if !errors.Is(err, failure.ErrStale) || !strings.Contains(err.Error(), `informer "things": stale for 6m0s`) {
			t.Errorf("out of step: %v", err)
		}
		api.ClearFaults()
		time.Sleep(2 * time.Minute)
		if err := check(nil); err != nil {
			t.Errorf("up to date again: %v", err)
		}
		r.stop()
		if err := check(nil); !errors.Is(err, failure.ErrStopped) {
			t.Errorf("stopped: %v", err)
		}
	})
}

// A time that is shorter than the silence of a quiet resource fails an informer that is up to date.
// One line of the log says it, for however many checks.
func TestHealthCheckOfQuietResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache.ForgetShortStale()
		logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
		defer klog.CaptureState().Restore()
		klog.SetLogger(logger)
		api := cachetest.NewAPI(newThing("a"))
		informer := run(t, api, cache.Options[*thing]{Name: "things"})
		var short, enough int
		for second := range 600 {
			if second%75 == 0 { // API servers are up to a quarter of a minute late
				api.Bookmark()
			}
			time.Sleep(time.Second)
			if informer.HealthCheck(time.Minute)(nil) != nil {
				short++
			}
			if informer.HealthCheck(2*time.Minute)(nil) != nil {
				enough++
			}
		}
		if short == 0 || enough > 0 {
			t.Errorf("%d checks of a minute and %d of two have failed", short, enough)
		}
		logged := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
		if lines := strings.Count(logged, "HealthCheck may fail"); lines != 1 {
			t.Errorf("%d lines of the log: %s", lines, logged)
		}
	})
}

// CheckSynced says why an informer is not in sync, and names no cause.
func TestCheckSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Uninstall()
		r := run(t, api, cache.Options[*thing]{Name: "things"})
		time.Sleep(time.Minute)
		err := r.Status().CheckSynced()
		var sync *cache.SyncError
		if !errors.As(err, &sync) || sync.Status.Phase != cache.PhaseAbsent || !apierrors.IsNotFound(err) {
			t.Errorf("without the resource: got %v, want a SyncError that wraps NotFound", err)
		}
		if text := fmt.Sprint(err); !strings.HasPrefix(text, `informer "things": not in sync: waiting for the resource`) || strings.Contains(text, "stopped waiting") {
			t.Errorf("without the resource: got %s", text)
		}
		api.Install()
		time.Sleep(time.Minute)
		if err := r.Status().CheckSynced(); err != nil {
			t.Errorf("with the resource: %v", err)
		}
		api.Uninstall()
		time.Sleep(time.Hour)
		if err := r.Status().CheckSynced(); err != nil {
			t.Errorf("after the resource has gone: %v", err)
		}
	})
}

// clientDecodes is an API whose objects a client decodes for a while.
type clientDecodes struct {
	*cachetest.API[*thing]
	reason *string
}

func (c clientDecodes) Describe() cache.SourceInfo {
	about := c.API.Describe()
	about.DecodedByClient = func() string { return *c.reason }
	return about
}

func TestStatusOfDecodedByClient(t *testing.T) {
	reason := "a filter"
	informer := cache.New(sourceOf(clientDecodes{cachetest.NewAPI[*thing](), &reason}), cache.Options[*thing]{})
	for _, want := range []string{"a filter", ""} {
		reason = want
		if got := informer.Status().DecodedByClient; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
