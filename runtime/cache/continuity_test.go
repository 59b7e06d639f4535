package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// cutting cuts each watch and watch-list after a while.
type cutting struct {
	*cachetest.API[*thing]
	after time.Duration
	err   error
}

func (c cutting) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	inner, cancel := context.WithTimeoutCause(ctx, c.after, c.err)
	w, err := c.API.Watch(inner, options)
	if err != nil {
		cancel()
		return nil, err
	}
	return &cutWatcher{Watcher: w, ctx: inner, cancel: cancel}, nil
}

type cutWatcher struct {
	cache.Watcher
	ctx    context.Context
	cancel func()
}

func (w *cutWatcher) Stop() {
	w.cancel()
	w.Watcher.Stop()
}

func (w *cutWatcher) Next() (cache.WatchEvent, error) {
	event, err := w.Watcher.Next()
	if err != nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return event, err
}

// An informer whose watches are cut is without a watch for at most a twentieth of the time. It asks no more
// often than it must, and does not take a cut for a failure.
func TestWatchesThatAreCut(t *testing.T) {
	goAway := errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\"")
	for _, test := range []struct {
		name   string
		after  time.Duration
		err    error
		events time.Duration // between two events; zero is none
	}{
		{"a client with a timeout of 3 s", 3 * time.Second, context.DeadlineExceeded, 0},
		{"a proxy that resets after 50 s", 50 * time.Second, cachetest.ErrConnectionReset, 0},
		{"a proxy that ends streams after 50 s", 50 * time.Second, io.EOF, 0},
		{"a proxy that ends chunked bodies after 50 s", 50 * time.Second, io.ErrUnexpectedEOF, 0},
		{"GOAWAY after 50 s, with an event each second", 50 * time.Second, goAway, time.Second},
		{"an expired version after 50 s", 50 * time.Second, cachetest.Status(410), time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const lasts = time.Hour
				api := cachetest.NewAPI(newThing("a"))
				var failed int
				r := start(t, cache.New(sourceOf(cutting{api, test.after, test.err}), cache.Options[*thing]{
					DisableWatchList: true,
					ListWatch: cache.ListWatch{OnFailure: func(context.Context, cache.Failure) cache.Decision {
						failed++
						return cache.Decision{}
					}},
				}))
				settle()
				api.ResetRequests()
				without := 0
				const step = 200 * time.Millisecond
				for i := range int(lasts / step) {
					time.Sleep(step)
					settle()
					if api.Watches() == 0 {
						without++
					}
					if test.events > 0 && time.Duration(i)*step%test.events == 0 {
						touch(t, api, "a")
					}
					if s := r.Status(); s.Attempts > 0 && !apierrors.IsResourceExpired(test.err) {
						t.Fatalf("counts as a failure: %v", s)
					}
				}
				if share := float64(without) * float64(step) / float64(lasts); share > 0.05 {
					t.Errorf("%.1f %% of the time without a watch", 100*share)
				}
				if most := 2*int(lasts/test.after) + 10; len(api.Requests()) > most {
					t.Errorf("%d requests, want no more than %d", len(api.Requests()), most)
				}
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
			})
		})
	}
}

// When a server that was down is back, no informer waits for longer than the first
// delay, whatever the server answers at first.
func TestServerComesBack(t *testing.T) {
	initializing := apierrors.NewTooManyRequests("storage is (re)initializing", 1)
	for _, test := range []struct {
		name   string
		faults []cachetest.Fault
	}{
		{"and serves", nil},
		{"and has forgotten the version", []cachetest.Fault{{Verb: cachetest.Watch, Err: cachetest.Status(410)}}},
		{"and forbids at first", []cachetest.Fault{{Err: cachetest.Status(403)}}},
		{"and initializes its storage", []cachetest.Fault{{Err: initializing}}},
		{"and ends a watch-list before its bookmark", []cachetest.Fault{
			{Verb: cachetest.Watch, Err: cachetest.Status(410)}, {Verb: cachetest.WatchList, Opened: true, Err: io.EOF},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := run(t, api, cache.Options[*thing]{})
				settle()
				down := cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused}
				api.Fail(down)
				api.BreakWatches(cachetest.ErrConnectionReset)
				time.Sleep(10 * time.Minute)
				api.ClearFaults()
				api.Fail(test.faults...)
				api.ResetRequests()
				for len(api.Requests()) == 0 {
					time.Sleep(10 * time.Millisecond)
				}
				touch(t, api, "a")
				// Each answer that is none of success costs a first delay, with its jitter.
				time.Sleep(time.Duration(len(test.faults)) * 1700 * time.Millisecond)
				settle()
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
			})
		})
	}
}

// A resource that is removed and comes back is followed as soon after other trouble as without
// it: the backoff of the trouble has nothing to do with that.
func TestResourceComesBack(t *testing.T) {
	initializing := cachetest.Fault{Times: 2, Err: apierrors.NewTooManyRequests("storage is (re)initializing", 1)}
	troubles := map[string]cachetest.Fault{
		"none":                       {If: func(cachetest.Request) bool { return false }},
		"refused connections":        {Err: cachetest.ErrConnectionRefused},
		"errors of the server":       {Err: cachetest.Status(503)},
		"no access":                  {Err: cachetest.Status(403)},
		"too many requests":          {Err: cachetest.Status(429)},
		"an undecodable list":        {Err: cachetest.ErrGarbled},
		"watches that end at once":   {Verb: cachetest.Watch, Opened: true, Err: io.EOF},
		"versions that have expired": {Err: cachetest.Status(410)},
	}
	for name, trouble := range troubles {
		for _, away := range []time.Duration{100 * time.Millisecond, 5 * time.Second, time.Minute} {
			for _, first := range [][]cachetest.Fault{nil, {initializing}} {
				t.Run(fmt.Sprintf("%s, away for %v, %d answers", name, away, len(first)), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						api := cachetest.NewAPI(newThing("a"))
						r := run(t, api, cache.Options[*thing]{})
						settle()
						trouble.Times = -1
						api.Fail(trouble)
						api.BreakWatches(cachetest.ErrConnectionReset)
						time.Sleep(10 * time.Minute)
						api.ClearFaults()
						api.Uninstall()
						api.ResetRequests()
						for len(api.Requests()) == 0 {
							time.Sleep(10 * time.Millisecond)
						}
						time.Sleep(away)
						api.Install()
						api.Fail(first...)
						must[*thing](t)(api.Create(newThing("b")))
						// The longest wait for a resource that is absent, and four of the first delays. The
						// backoff of the trouble took 45 seconds and more.
						time.Sleep(12500*time.Millisecond + 4*3200*time.Millisecond)
						settle()
						expect(t, "store", names(api.Objects()), names(r.Store().List()))
					})
				})
			}
		}
	}
}

// Discovery that hangs does not keep a resource waiting that comes back.
func TestResourceComesBackBeforeDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := start(t, cache.New(sourceOf(hangingDiscovery{api}), cache.Options[*thing]{}))
		settle()
		api.Uninstall()
		time.Sleep(time.Minute)
		api.Install()
		must[*thing](t)(api.Create(newThing("b")))
		time.Sleep(22500 * time.Millisecond)
		settle()
		expect(t, "store", names(api.Objects()), names(r.Store().List()))
	})
}

// hangingDiscovery is an API whose discovery does not answer.
type hangingDiscovery struct{ *cachetest.API[*thing] }

func (s hangingDiscovery) Describe() cache.SourceInfo {
	about := s.API.Describe()
	about.Served = func(ctx context.Context) (bool, error) {
		<-ctx.Done()
		return false, context.Cause(ctx)
	}
	return about
}

// The backoff of a server that is down ends when it says when to retry.
func TestServerSaysWhenToRetry(t *testing.T) {
	for _, code := range []int{503, 403} {
		synctest.Test(t, func(t *testing.T) {
			api := cachetest.NewAPI(newThing("a"))
			api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(code)})
			r := run(t, api, cache.Options[*thing]{})
			time.Sleep(10 * time.Minute)
			api.ClearFaults()
			api.Fail(cachetest.Fault{Times: 1, Err: cachetest.StatusRetryAfter(429, 1)})
			api.ResetRequests()
			for len(api.Requests()) == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(1700 * time.Millisecond)
			settle()
			expect(t, "store", names(api.Objects()), names(r.Store().List()))
		})
	}
}

// A watch-list that is cut again and again becomes a list.
func TestWatchListsThatAreCut(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
	}{
		{"in good order", io.EOF},
		{"by a connection that is lost", cachetest.ErrConnectionReset},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, After: 1, Err: test.err})
				r := run(t, api, cache.Options[*thing]{})
				time.Sleep(time.Minute)
				expect(t, "requests", []string{"watchlist ", "watchlist ", "watchlist ", "list 0", "watch 2"}, requests(api))
				expect(t, "store", []string{"a 2"}, names(r.Store().List()))

				// The next one is asked for once more, since the list may be shorter then.
				api.ResetRequests()
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(410)})
				api.CloseWatches()
				time.Sleep(time.Minute)
				expect(t, "requests", []string{"watch 2", "watchlist 2", "list 2", "watch 2"}, requests(api))
			})
		})
	}
}

// Whatever the options are, an informer pauses between its requests.
func TestEveryRequestHasAFloor(t *testing.T) {
	for _, test := range []struct {
		name    string
		options cache.Options[*thing]
		fault   cachetest.Fault
	}{
		{"a backoff of nothing", cache.Options[*thing]{ListWatch: cache.ListWatch{Backoff: &wait.Backoff{}}}, cachetest.Fault{Err: cachetest.ErrConnectionRefused}},
		{"a backoff of less than nothing", cache.Options[*thing]{ListWatch: cache.ListWatch{Backoff: &wait.Backoff{Duration: -time.Hour, Steps: 5}}}, cachetest.Fault{Err: cachetest.Status(500)}},
		{"an absent resource", cache.Options[*thing]{}, cachetest.Fault{Err: cachetest.Status(404)}},
		{"a watch that is idle at once", cache.Options[*thing]{ListWatch: cache.ListWatch{IdleTimeout: 1}}, cachetest.Fault{Verb: cachetest.Watch, Opened: true, Hang: true}},
		{"a list that is idle at once", cache.Options[*thing]{ListWatch: cache.ListWatch{IdleTimeout: 1}, DisableWatchList: true}, cachetest.Fault{Verb: cachetest.List, Hang: true}},
		{"a decision without a delay", cache.Options[*thing]{ListWatch: cache.ListWatch{OnFailure: func(context.Context, cache.Failure) cache.Decision {
			return cache.Decision{Backoff: -1}
		}}}, cachetest.Fault{Err: cachetest.Status(500)}},
		{"the default decision", cache.Options[*thing]{ListWatch: cache.ListWatch{OnFailure: func(context.Context, cache.Failure) cache.Decision {
			return cache.Decision{}
		}}}, cachetest.Fault{Err: cachetest.Status(500)}},
		{"watches that end after an event", cache.Options[*thing]{DisableWatchList: true}, cachetest.Fault{Verb: cachetest.Watch, After: 1, Err: io.EOF}},
		{"everything has expired", cache.Options[*thing]{ListWatch: cache.ListWatch{Backoff: &wait.Backoff{}}}, cachetest.Fault{Err: cachetest.Status(410)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				test.fault.Times = -1
				api.Fail(test.fault)
				run(t, api, test.options)
				for range 6000 {
					time.Sleep(10 * time.Millisecond)
					touch(t, api, "a")
				}
				if n := len(api.Requests()); n < 2 || n > 1300 {
					t.Errorf("%d requests in a minute", n)
				}
			})
		})
	}
}

// A server can ask for much time, but not for ever, and the status says so.
func TestRetryAfterHasACeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, math.MaxInt32)})
		r := run(t, api, cache.Options[*thing]{})
		time.Sleep(time.Second)
		if s := r.Status().String(); !strings.Contains(s, "retry after 596523h14m7s, which is too long: retrying after 10m0s") || !strings.Contains(s, "next attempt in 9m59s") {
			t.Errorf("status: %v", s)
		}
		begin := time.Now()
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited > 10*time.Minute {
			t.Errorf("waited for %v", waited)
		}
	})
}

// A server that shows how often it sends bookmarks is given up after three that do not
// come.
func TestIdleTimeoutIsLearned(t *testing.T) {
	for _, test := range []struct {
		name     string
		interval time.Duration
		most     time.Duration
	}{
		{"a bookmark each ten seconds", 10 * time.Second, 40 * time.Second},
		{"a bookmark each minute", time.Minute, 4 * time.Minute},
		{"no bookmarks in time", 19 * time.Minute, 5 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := run(t, api, cache.Options[*thing]{DisableWatchList: true, ListWatch: cache.ListWatch{WatchTimeout: time.Hour}})
				settle()
				touch(t, api, "a")
				for range 5 {
					time.Sleep(test.interval)
					api.Bookmark()
				}
				settle()
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, Hang: true})
				before := r.Status().Watches.Failed[failure.ClassSilent]
				api.CloseWatches()
				settle()
				touch(t, api, "a")
				begin := time.Now()
				for r.Status().Watches.Failed[failure.ClassSilent] == before {
					time.Sleep(time.Second)
				}
				if waited := time.Since(begin); waited > test.most {
					t.Errorf("gave the watch up after %v, want no more than %v", waited, test.most)
				}
				settle()
				expect(t, "store", names(api.Objects()), names(r.Store().List()))
			})
		})
	}
}

// buffering is a proxy that holds a watch back until the server has ended it.
type buffering struct{ *cachetest.API[*thing] }

func (b buffering) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := b.API.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &bufferingWatcher{Watcher: w}, nil
}

type bufferingWatcher struct {
	cache.Watcher
	events []cache.WatchEvent
	err    error
}

func (w *bufferingWatcher) Next() (cache.WatchEvent, error) {
	for w.err == nil {
		event, err := w.Watcher.Next()
		if w.err = err; err == nil {
			w.events = append(w.events, event)
		}
	}
	if len(w.events) == 0 {
		return cache.WatchEvent{}, w.err
	}
	event := w.events[0]
	w.events = w.events[1:]
	return event, nil
}

// Behind a proxy that buffers answers, changes come late, but they come.
func TestBufferingProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := start(t, cache.New(sourceOf(buffering{api}), cache.Options[*thing]{}))
		if err := r.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		for range 10 {
			touch(t, api, "a")
			time.Sleep(3 * time.Minute)
			settle()
			expect(t, "store", names(api.Objects()), names(r.Store().List()))
		}
	})
}

// OnFailure is called for each failure, also if the informer recovers at once.
func TestOnFailureIsToldOfEverything(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault cachetest.Fault
		want  string
	}{
		{"a watch-list that has expired", cachetest.Fault{Verb: cachetest.WatchList, Err: cachetest.Status(410)}, "watch-list: resource expired"},
		{"a watch-list without its bookmark", cachetest.Fault{Verb: cachetest.WatchList, Opened: true, Hang: true}, "watch-list: " + failure.ErrBookmarkMissing.Error()},
		{"a watch-list and a list that fail", cachetest.Fault{Times: 2, Err: cachetest.Status(500)}, "list: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				api.Fail(test.fault)
				var failed []string
				r := run(t, api, failuresInto(&failed))
				time.Sleep(time.Minute)
				r.stop()
				if len(failed) != 1 || !strings.Contains(failed[0], test.want) {
					t.Errorf("failures %q, want one with %q", failed, test.want)
				}
			})
		})
	}
	t.Run("a watch that breaks after a long time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := cachetest.NewAPI(newThing("a"))
			var failed []string
			r := run(t, api, failuresInto(&failed))
			time.Sleep(3 * time.Minute)
			api.BreakWatches(cachetest.ErrConnectionReset)
			settle()
			r.stop()
			if len(failed) != 1 || !strings.Contains(failed[0], "connection reset") {
				t.Errorf("failures %q", failed)
			}
		})
	})
}

// failuresInto are options that collect the errors of OnFailure.
func failuresInto(failed *[]string) cache.Options[*thing] {
	return cache.Options[*thing]{ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
		*failed = append(*failed, f.Err.Error())
		return cache.Decision{}
	}}}
}

// OnFailure may end an informer also when the next request would follow at once, or have
// it wait.
func TestOnFailureDecidesWithoutBackoff(t *testing.T) {
	for name, decision := range map[string]cache.Decision{
		"stop": {Stop: true},
		"wait": {Backoff: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				informer := cache.New(api.Source(), cache.Options[*thing]{ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
					if f.Backoff != 0 || f.Attempts != 0 || f.Phase != cache.PhaseWatching || f.Class != failure.ClassConnection {
						t.Errorf("failure: %+v", f)
					}
					return decision
				}}})
				ended := make(chan error, 1)
				go func() { ended <- informer.Run(t.Context()) }()
				time.Sleep(3 * time.Minute)
				api.BreakWatches(cachetest.ErrConnectionReset)
				time.Sleep(30 * time.Minute)
				select {
				case err := <-ended:
					if !decision.Stop || failure.ClassOf(err) != failure.ClassConnection {
						t.Errorf("Run: %v", err)
					}
				default:
					if s := informer.Status(); decision.Stop || s.Phase != cache.PhaseBackingOff || s.Reconnects != 0 || s.Attempts != 0 {
						t.Errorf("status: %+v", s)
					}
				}
			})
		})
	}
}

// A log of the reason why a watch-list has ended finds the reason in the status as well.
func TestReasonIsInTheStatusBeforeTheLog(t *testing.T) {
	for _, test := range []struct {
		fault    cachetest.Fault
		logged   string
		reason   failure.Class
		attempts int
	}{
		{cachetest.Fault{Verb: cachetest.WatchList, Opened: true, Hang: true}, "given up for good", failure.ClassSilent, 0},
		{cachetest.Fault{Verb: cachetest.WatchList, Err: cachetest.Status(422)}, "failed, listing instead", failure.ClassOther, 0},
		{cachetest.Fault{Verb: cachetest.WatchList, Err: cachetest.Status(410)}, "failed, trying again", failure.ClassExpired, 1},
	} {
		t.Run(test.logged, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				api.Fail(test.fault)
				informer := cache.New(api.Source(), cache.Options[*thing]{})
				var found []cache.Status
				logger := ktesting.NewLogger(logs(func(line string) {
					if strings.Contains(line, test.logged) {
						found = append(found, informer.Status())
					}
				}), ktesting.NewConfig(ktesting.Verbosity(2)))
				ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logger))
				time.AfterFunc(time.Minute, stop)
				if err := informer.Run(ctx); err != nil {
					t.Fatal(err)
				}
				if len(found) != 1 {
					t.Fatalf("logged %d times", len(found))
				}
				if s := found[0]; s.LastError == nil || failure.ClassOf(s.LastError) != test.reason || s.Attempts != test.attempts {
					t.Errorf("when it was logged: %v, attempts %d", s.LastError, s.Attempts)
				}
			})
		})
	}
}

// logs gets what is logged.
type logs func(line string)

func (logs) Helper()           {}
func (l logs) Log(args ...any) { l(fmt.Sprint(args...)) }
