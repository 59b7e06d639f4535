package cachetest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// items lists a page and describes what came, and the error of the list.
func items(ctx context.Context, source cache.Source[*testv1.Carp], options metav1.ListOptions) []string {
	var got []string
	_, err := source.List(ctx, options, func(item any, err error) {
		obj, _ := item.(*testv1.Carp)
		if err != nil {
			got = append(got, err.Error())
			return
		}
		got = append(got, obj.Name)
	})
	if err != nil {
		got = append(got, describe(cache.WatchEvent{}, err))
	}
	return got
}

func TestListFaults(t *testing.T) {
	bad := &failure.ObjectError{Err: errors.New("bad")}
	for name, test := range map[string]struct {
		fault Fault
		want  []string
	}{
		"none":            {Fault{}, []string{"one", "two"}},
		"other verb":      {Fault{Verb: Watch, Err: bad}, []string{"one", "two"}},
		"other page":      {Fault{Page: 2, Err: errors.New("cut")}, []string{"one", "two"}},
		"other condition": {Fault{If: func(r Request) bool { return r.Options.Limit > 0 }, Err: errors.New("cut")}, []string{"one", "two"}},
		"status":          {Fault{Err: Status(http.StatusForbidden)}, []string{"status 403"}},
		"after one":       {Fault{Verb: List, Page: 1, After: 1, Err: errors.New("cut")}, []string{"one", "cut"}},
		"after too many":  {Fault{After: 9, Err: errors.New("cut")}, []string{"one", "two", "cut"}},
		"undecodable":     {Fault{After: 1, Err: bad}, []string{"one", `object "a/two": bad`}},
		"first":           {Fault{Err: bad}, []string{`object "a/one": bad`, "two"}},
		"no such item":    {Fault{After: 2, Err: bad}, []string{"one", "two"}},
		"truncated":       {Fault{After: 1, Err: ErrTruncated}, []string{"one", ErrTruncated.Error()}},
		"garbled":         {Fault{Err: ErrGarbled}, []string{ErrGarbled.Error()}},
		"last again":      {Fault{After: 1, Repeat: 1}, []string{"one", "one", "two"}},
		"older again":     {Fault{After: 2, Repeat: 2}, []string{"one", "two", "one"}},
		"none to repeat":  {Fault{After: 1, Repeat: 2}, []string{"one", "two"}},
		"again, then cut": {Fault{After: 1, Repeat: 1, Err: errors.New("cut")}, []string{"one", "one", "cut"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(carp("a/one"), carp("a/two"))
			api.Fail(test.fault)
			if diff := cmp.Diff(test.want, items(t.Context(), api.Source(), metav1.ListOptions{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWatchFaults(t *testing.T) {
	bad := &failure.ObjectError{Err: errors.New("bad")}
	for name, test := range map[string]struct {
		fault Fault
		want  []string
	}{
		"none":        {Fault{Verb: Watch}, []string{"ADDED a/one@2", "ADDED a/two@3", "END @3"}},
		"in stream":   {Fault{Opened: true, Err: Status(http.StatusGone)}, []string{"status 410"}},
		"after one":   {Fault{Verb: WatchList, After: 1, Err: errors.New("cut")}, []string{"ADDED a/one@2", "cut"}},
		"undecodable": {Fault{After: 1, Err: bad}, []string{"ADDED a/one@2", `object "a/two": bad`, "END @3"}},
		"bookmark":    {Fault{After: 2, Err: bad}, []string{"ADDED a/one@2", "ADDED a/two@3", "object: bad"}},
		"half open":   {Fault{After: 1, Hang: true}, []string{"ADDED a/one@2"}},
		"truncated":   {Fault{Err: ErrTruncated}, []string{ErrTruncated.Error()}},
		"garbled":     {Fault{Err: ErrGarbled}, []string{ErrGarbled.Error(), "ADDED a/two@3", "END @3"}},
		"last again":  {Fault{After: 2, Repeat: 1}, []string{"ADDED a/one@2", "ADDED a/two@3", "ADDED a/two@3", "END @3"}},
		"older again": {Fault{After: 2, Repeat: 2}, []string{"ADDED a/one@2", "ADDED a/two@3", "ADDED a/one@2", "END @3"}},
		"END again":   {Fault{After: 3, Repeat: 1, Err: errors.New("cut")}, []string{"ADDED a/one@2", "ADDED a/two@3", "END @3", "END @3", "cut"}},
		"none again":  {Fault{After: 1, Repeat: 2}, []string{"ADDED a/one@2", "ADDED a/two@3", "END @3"}},
		"no bookmark": {Fault{LoseBookmarks: true}, []string{"ADDED a/one@2", "ADDED a/two@3"}},
		"stalled":     {Fault{After: 1, Stall: time.Minute}, []string{"ADDED a/one@2", "ADDED a/two@3", "END @3"}},
		"too late":    {Fault{After: 1, Stall: 2 * time.Hour}, []string{"ADDED a/one@2"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := NewAPI(carp("a/one"), carp("a/two"))
				api.Fail(test.fault)
				w := follow(t, api.Source(), watchList(""))
				defer w.Stop()
				time.Sleep(time.Hour)
				w.expect(t, test.want...)
			})
		})
	}
}

// TestFaultOrder: each request meets the first fault that concerns it and has
// times left, and only that one.
func TestFaultOrder(t *testing.T) {
	api := NewAPI(carp("a/one"))
	api.Fail(
		Fault{Verb: Watch, Err: ErrConnectionRefused},
		Fault{Verb: List, Times: 2, Err: Status(http.StatusServiceUnavailable)},
		Fault{Err: Status(http.StatusNotFound)},
		Fault{Times: -1, Err: ErrConnectionReset},
	)
	var got []string
	request := func(do func() error) {
		switch err := do(); {
		case errors.Is(err, syscall.ECONNREFUSED):
			got = append(got, "refused")
		case errors.Is(err, syscall.ECONNRESET):
			got = append(got, "reset")
		default:
			got = append(got, describe(cache.WatchEvent{}, err))
		}
	}
	lists := func() error {
		_, err := api.List(t.Context(), metav1.ListOptions{}, func(any, error) {})
		return err
	}
	watches := func() error {
		_, err := api.Watch(t.Context(), metav1.ListOptions{})
		return err
	}
	for _, do := range []func() error{lists, watches, lists, watches, lists, lists} {
		request(do)
	}
	want := []string{"status 503", "refused", "status 503", "status 404", "reset", "reset"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	api.ClearFaults()
	if err := lists(); err != nil {
		t.Errorf("error after all is well: %v", err)
	}
}

func TestFaultOfPage(t *testing.T) {
	api := NewAPI(carp("a/one"), carp("a/two"))
	api.Fail(Fault{Verb: List, Page: 2, Err: Status(http.StatusGone)})
	_, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = list(t, api.Source(), metav1.ListOptions{Limit: 1, Continue: page.Continue}); !apierrors.IsResourceExpired(err) {
		t.Errorf("error of page 2 is %v", err)
	}
}

func TestStatus(t *testing.T) {
	for code, is := range map[int]func(error) bool{
		http.StatusForbidden:           apierrors.IsForbidden,
		http.StatusNotFound:            apierrors.IsNotFound,
		http.StatusGone:                apierrors.IsResourceExpired,
		http.StatusTooManyRequests:     apierrors.IsTooManyRequests,
		http.StatusInternalServerError: apierrors.IsInternalError,
		http.StatusServiceUnavailable:  apierrors.IsServiceUnavailable,
	} {
		if err := Status(code); !is(err) || statusCode(err) != code {
			t.Errorf("status %d is %v with code %d", code, err, statusCode(err))
		}
	}
	if seconds, ok := apierrors.SuggestsClientDelay(StatusRetryAfter(http.StatusTooManyRequests, 7)); !ok || seconds != 7 {
		t.Errorf("delay is %d, %v", seconds, ok)
	}
}

func TestDelayAndHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		api.Fail(Fault{Delay: time.Minute}, Fault{Hang: true}, Fault{After: 1, Hang: true}, Fault{Delay: time.Hour})
		begin := time.Now()
		if got := items(t.Context(), api.Source(), metav1.ListOptions{}); !cmp.Equal(got, []string{"one"}) || time.Since(begin) != time.Minute {
			t.Errorf("listed %v after %v", got, time.Since(begin))
		}
		gone := errors.New("gone")
		for _, want := range [][]string{{"gone"}, {"one", "gone"}, {"gone"}} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
			if got := items(ctx, api.Source(), metav1.ListOptions{}); !cmp.Equal(got, want) {
				t.Errorf("listed %v, want %v", got, want)
			}
			cancel()
		}
	})
}

// TestStall: nothing comes for a while, but the timeout of the watch.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		api.Fail(Fault{Verb: Watch, Times: 2, Stall: time.Minute}, Fault{After: 1, Stall: time.Minute})
		for timeout, want := range map[int64]string{30: "EOF", 90: "ADDED a/one@2"} {
			begin := time.Now()
			w, err := api.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1", TimeoutSeconds: &timeout})
			if err != nil {
				t.Fatal(err)
			}
			if got, after := describe(w.Next()), time.Since(begin); got != want || after != time.Second*time.Duration(min(timeout, 60)) {
				t.Errorf("event after %v is %s", after, got)
			}
			w.Stop()
		}
		begin := time.Now()
		if got := items(t.Context(), api.Source(), metav1.ListOptions{}); !cmp.Equal(got, []string{"one"}) || time.Since(begin) != time.Minute {
			t.Errorf("listed %v after %v", got, time.Since(begin))
		}
	})
}

// TestLoseBookmarks: those that come later are lost too, and nothing else is.
func TestLoseBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		api.Fail(Fault{After: 3, LoseBookmarks: true})
		w := follow(t, api.Source(), watchList(""))
		defer w.Stop()
		api.Bookmark()
		api.Bookmark()
		must(api.Create(carp("a/two")))(t)
		w.expect(t, "ADDED a/one@2", "END @2", "BOOKMARK @2", "ADDED a/two@3")
	})
}

// TestShuffle: the pages of a list, and the initial events of a watch, have
// every object once, in an order that only the seed determines.
func TestShuffle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"), carp("a/two"), carp("b/three"), carp("b/four"), carp("b/five"))
		sorted := names(api.Objects())
		var orders [][]string
		for _, seed := range []uint64{7, 7, 8, 0} {
			api.Fail(Fault{Page: 1, Shuffle: seed}, Fault{Page: 2, Shuffle: 9}, Fault{Verb: Watch, Shuffle: seed})
			var all []string
			for options := (metav1.ListOptions{Limit: 2}); ; {
				objs, page, err := list(t, api.Source(), options)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, objs...)
				if options.Continue = page.Continue; options.Continue == "" {
					break
				}
			}
			w := follow(t, api.Source(), metav1.ListOptions{})
			var events []string
			for _, name := range all {
				events = append(events, "ADDED "+name)
			}
			w.expect(t, events...)
			w.Stop()
			orders = append(orders, slices.Clone(all))
			if slices.Sort(all); !cmp.Equal(all, slices.Sorted(slices.Values(sorted))) {
				t.Errorf("seed %d: listed %v", seed, all)
			}
		}
		if !cmp.Equal(orders[0], orders[1]) || cmp.Equal(orders[0], orders[2]) || !cmp.Equal(orders[3], sorted) {
			t.Errorf("orders of the seeds 7, 7, 8 and 0 are %v", orders)
		}
	})
}

// TestDo: what happens between two pages lets the next one expire.
func TestDo(t *testing.T) {
	api := NewAPI(carp("a/one"), carp("a/two"))
	api.Fail(Fault{Page: 2, Do: func() {
		must(api.Delete(key("a/two")))(t)
		api.Compact()
	}})
	_, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = list(t, api.Source(), metav1.ListOptions{Limit: 1, Continue: page.Continue}); !apierrors.IsResourceExpired(err) {
		t.Errorf("error of page 2 is %v", err)
	}
}

func TestFaultString(t *testing.T) {
	for want, fault := range map[string]Fault{
		"": {Verb: List, Page: 2},
		"delay 1s, do, shuffle 7, after 2, stall 1m0s, repeat 1, lose bookmarks, padding 9, hang": {
			Delay: time.Second, Do: func() {}, Shuffle: 7, After: 2, Stall: time.Minute, Repeat: 1, LoseBookmarks: true, Padding: 9, Hang: true,
		},
		"resource expired": {Err: Status(http.StatusGone)},
	} {
		if got := fault.String(); got != want {
			t.Errorf("fault is %q, want %q", got, want)
		}
	}
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(carp("a/one"))
		refused := Status(http.StatusForbidden)
		api.Fail(Fault{Verb: Watch, Err: refused}, Fault{Verb: WatchList, Hang: true})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		items(ctx, api.InNamespace("a"), metav1.ListOptions{Limit: 5})
		if _, err := api.Watch(ctx, metav1.ListOptions{ResourceVersion: "2"}); err == nil {
			t.Error("the watch opened")
		}
		go func() { _, _ = api.Watch(ctx, watchList("")) }()
		synctest.Wait()
		want := []Request{
			{Verb: List, Namespace: "a", Options: metav1.ListOptions{Limit: 5}, Arrived: time.Now(), Answered: true},
			{Verb: Watch, Options: metav1.ListOptions{ResourceVersion: "2"}, Arrived: time.Now(), Fault: refused.Error(), Answered: true, Err: refused},
			{Verb: WatchList, Options: watchList(""), Arrived: time.Now(), Fault: "hang"},
		}
		sameError := cmp.Comparer(func(x, y error) bool { return x == y })
		if diff := cmp.Diff(want, api.Requests(), sameError); diff != "" {
			t.Error(diff)
		}
		api.ResetRequests()
		if got := api.Requests(); len(got) != 0 {
			t.Errorf("requests are %v", got)
		}
	})
}
