package cachetest

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// items lists a page and describes what came, and the error of the list.
func items(ctx context.Context, source cache.Source[*testv1.Carp], options metav1.ListOptions) []string {
	var got []string
	_, err := source.List(ctx, options, func(obj *testv1.Carp, err error) {
		if err != nil {
			got = append(got, err.Error())
			return
		}
		got = append(got, obj.Name)
	})
	if err != nil {
		got = append(got, describe(cache.Frame[*testv1.Carp]{}, err))
	}
	return got
}

func TestListFaults(t *testing.T) {
	bad := &cache.ObjectError{Err: errors.New("bad")}
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
	} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(carp("a/one"), carp("a/two"))
			api.Fail(test.fault)
			if diff := cmp.Diff(test.want, items(t.Context(), api, metav1.ListOptions{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWatchFaults(t *testing.T) {
	bad := &cache.ObjectError{Err: errors.New("bad")}
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
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := NewAPI(carp("a/one"), carp("a/two"))
				api.Fail(test.fault)
				w := follow(t, api, watchList(""))
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
			got = append(got, describe(cache.Frame[*testv1.Carp]{}, err))
		}
	}
	lists := func() error {
		_, err := api.List(t.Context(), metav1.ListOptions{}, func(*testv1.Carp, error) {})
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
	_, page, err := list(t, api, metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = list(t, api, metav1.ListOptions{Limit: 1, Continue: page.Continue}); !apierrors.IsResourceExpired(err) {
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
		if got := items(t.Context(), api, metav1.ListOptions{}); !cmp.Equal(got, []string{"one"}) || time.Since(begin) != time.Minute {
			t.Errorf("listed %v after %v", got, time.Since(begin))
		}
		gone := errors.New("gone")
		for _, want := range [][]string{{"gone"}, {"one", "gone"}, {"gone"}} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
			if got := items(ctx, api, metav1.ListOptions{}); !cmp.Equal(got, want) {
				t.Errorf("listed %v, want %v", got, want)
			}
			cancel()
		}
	})
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
			{Verb: Watch, Options: metav1.ListOptions{ResourceVersion: "2"}, Arrived: time.Now(), Answered: true, Err: refused},
			{Verb: WatchList, Options: watchList(""), Arrived: time.Now()},
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
