package conformance

import (
	"context"
	"net/http"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// watchCases are about what is asked for with a watch, and about its end.
var watchCases = []testCase{
	{statement: "W1", title: "a watch continues from the last version, requests bookmarks, and ends in five to ten minutes", test: func(t *T) {
		w := t.listing("a")
		w.run()
		for range 20 {
			w.pass(2 * time.Second)
			w.api.CloseWatches()
		}
		t.wantTimeouts(w.watchRequests(), 5*time.Minute)
	}},

	{statement: "W2", title: "an object of another type is left out, and the watch continues", test: func(t *T) {
		lw := t.newFeed(emptyList("1"))
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		lw.latest().send(watch.Added, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "2"}})
		lw.latest().send(watch.Added, podAt("a", "3"))
		t.equal("store", stored(informer.GetStore()), []string{"a@3"})
		t.equal("watches", lw.versions(), []string{"1"})
	}},

	{statement: "W2", title: "an unstructured object of another kind is left out", test: func(t *T) {
		object := func(kind, name string) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "resourceVersion": "2"},
			}}
		}
		list := &unstructured.UnstructuredList{}
		list.SetResourceVersion("1")
		lw := t.newFeed(list)
		informer := t.newInformerOf(lw, object("Pod", ""), cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		lw.latest().send(watch.Added, object("Node", "n"))
		lw.latest().send(watch.Added, object("Pod", "a"))
		t.equal("store", stored(informer.GetStore()), []string{"a@2"})
	}},

	{statement: "W2", title: "an object without metadata is left out", test: func(t *T) {
		lw := t.newFeed(emptyList("1"))
		informer := t.newInformerOf(lw, nil, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		lw.latest().send(watch.Added, &metav1.Status{})
		lw.latest().send(watch.Added, podAt("a", "3"))
		t.equal("store", stored(informer.GetStore()), []string{"a@3"})
	}},

	{statement: "W3", title: "an event of any type advances the version", test: func(t *T) {
		w := t.listing("a")
		w.informer = t.newInformer(t.listWatch(w.api, "ns"), cache.SharedIndexInformerOptions{})
		w.run()
		for _, step := range []struct {
			change func()
			want   string
		}{
			{func() {}, "2"},
			{func() { w.create("b") }, "3"},
			{func() { w.update("b") }, "4"},
			{func() { w.delete("b") }, "5"},
			{w.createElsewhere, "5"},
			{w.api.Bookmark, "6"},
		} {
			step.change()
			w.pass(0)
			t.equal("version", w.informer.LastSyncResourceVersion(), step.want)
		}
	}},

	{statement: "W3", title: "the initial objects of a watch without a version do not advance the version", test: func(t *T) {
		lw := t.newFeed(emptyList(""))
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		lw.latest().send(watch.Added, podAt("a", "7"))
		lw.latest().send(watch.Added, podAt("b", "3"))
		t.equal("version", informer.LastSyncResourceVersion(), "")
		lw.latest().send(watch.Modified, podAt("b", "8"))
		t.equal("version", informer.LastSyncResourceVersion(), "8")
		lw.latest().send(watch.Added, podAt("c", "9"))
		t.equal("version", informer.LastSyncResourceVersion(), "9")
	}},

	{statement: "W4", title: "410 leads to a list not older than the last version", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.create("b")
		w.pass(0)
		w.requests()
		w.relist(func() {})
		w.wantRequests("list 3", "watch 3")
	}},

	{statement: "W4", title: "429 leads to another watch after a while, and to no list", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.pass(2 * time.Second)
		w.api.BreakWatches(cachetest.Status(http.StatusTooManyRequests))
		broken := time.Now()
		w.pass(time.Minute)
		requests := w.api.Requests()
		w.wantRequests("list 0 limit 500", "watch 2", "watch 2")
		if delay := requests[2].Arrived.Sub(broken); delay < 800*time.Millisecond || delay > 1600*time.Millisecond {
			t.Errorf("the next watch came after %v", delay)
		}
	}},

	{statement: "W4", title: "any other error leads to a list", test: func(t *T) {
		w := t.listing("a")
		w.run()
		for _, code := range []int{http.StatusInternalServerError, http.StatusForbidden, http.StatusServiceUnavailable} {
			w.pass(2 * time.Second)
			w.requests()
			w.api.BreakWatches(cachetest.Status(code))
			w.pass(time.Minute)
			w.wantRequests("list 2", "watch 2")
		}
	}},

	{statement: "W4", title: "an object that can't be read and is then deleted leaves with the next list", test: func(t *T) {
		w := t.listing("a", "b")
		r := w.handle()
		w.run()
		r.want("initial a@2", "initial b@3")
		unreadable := cachetest.Status(http.StatusInternalServerError)
		unreadable.ErrStatus.Reason = metav1.StatusReasonStoreReadError
		w.api.BreakWatches(unreadable)
		w.delete("a")
		w.pass(time.Minute)
		w.wantStored("b@3")
		t.equal("event of the deletion", slices.Contains(r.take(), "gone a@2"), true)
	}},

	{statement: "W4", title: "the end of an open watch is not passed to the watch error handler", test: func(t *T) {
		w := t.listing("a")
		failures := w.watchErrors()
		w.run()
		for _, end := range []error{expired, cachetest.Status(http.StatusTooManyRequests), nil} {
			w.pass(2 * time.Second)
			w.api.BreakWatches(end)
			w.pass(time.Minute)
		}
		t.equal("failures", len(*failures), 0)
	}},

	{statement: "W5", title: "a server that is busy or down leads to another watch, and to no list", test: func(t *T) {
		for _, refusal := range []error{cachetest.ErrConnectionRefused, cachetest.Status(http.StatusTooManyRequests)} {
			w := t.listing("a")
			w.run()
			w.pass(2 * time.Second)
			w.requests()
			w.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: 2, Err: refusal})
			w.api.CloseWatches()
			w.pass(time.Minute)
			w.wantRequests("watch 2", "watch 2", "watch 2")
		}
	}},

	{statement: "W5", title: "another refusal is reported, and leads to a list", test: func(t *T) {
		w := t.listing("a")
		failures := w.watchErrors()
		w.run()
		w.pass(2 * time.Second)
		w.requests()
		w.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(http.StatusForbidden)})
		w.api.CloseWatches()
		w.pass(time.Minute)
		w.wantRequests("watch 2", "list 2", "watch 2")
		if len(*failures) != 1 || !apierrors.IsForbidden((*failures)[0]) {
			t.Errorf("failures are %v", *failures)
		}
	}},

	{statement: "W6", title: "a watch that ends at once and without an event leads to a list after a while", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.requests()
		w.api.CloseWatches()
		w.wantRequests()
		w.pass(time.Minute)
		w.wantRequests("list 2", "watch 2")
	}},

	{statement: "W6", title: "a watch that the server ends is followed by the next at once", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.create("b")
		w.pass(2 * time.Second)
		w.requests()
		w.api.CloseWatches()
		w.wantRequests("watch 3")
	}},

	{statement: "W7", title: "a watch is stopped exactly once, however it ends", test: func(t *T) {
		t.wantOneStop(func() *feed { return t.newFeed(emptyList("1")) })
	}},

	{statement: "W7", title: "a watch-list is stopped exactly once, however it ends", test: func(t *T) {
		t.wantOneStop(t.newStream)
	}},

	{statement: "W8", title: "an informer that is stopped before it starts makes no request", test: func(t *T) {
		lw, lists := t.newFeed(nil), 0
		lw.ListWithContextFunc = func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			lists++
			return emptyList("1"), nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		t.newInformer(lw, cache.SharedIndexInformerOptions{}).RunWithContext(ctx)
		t.pass(0)
		t.equal("requests", lists+len(lw.versions()), 0)
	}},

	{statement: "W9", title: "each failure is followed by a longer backoff, from a second to a minute", test: func(t *T) {
		w := t.listing("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Times: 6, Err: cachetest.Status(http.StatusForbidden)})
		w.run()
		w.pass(10 * time.Minute)
		least := 800 * time.Millisecond
		for i, backoff := range backoffs(w.api.Requests()[:7]) {
			if backoff < least || backoff > 2*least {
				t.Errorf("backoff %d is %v, want %v to %v", i, backoff, least, 2*least)
			}
			least = min(2*least, 30*time.Second)
		}
	}},

	{statement: "W9", title: "a server that fails for an hour gets at most two requests a minute", test: func(t *T) {
		w := t.listing("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Times: -1, Err: cachetest.Status(http.StatusForbidden)})
		w.run()
		w.pass(time.Hour)
		for i, backoff := range backoffs(w.api.Requests())[6:] {
			if backoff < 30*time.Second {
				t.Fatalf("backoff %d is %v", i+6, backoff)
			}
		}
	}},

	{statement: "W9", title: "the backoff is reset after two minutes without a failure", test: func(t *T) {
		w := t.listing("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Times: 5, Err: cachetest.Status(http.StatusForbidden)})
		w.run()
		w.pass(10 * time.Minute)
		w.requests()
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.Status(http.StatusForbidden)})
		w.relist(func() {})
		if backoff := backoffs(w.api.Requests())[0]; backoff > 4*time.Second {
			t.Errorf("the backoff is %v", backoff)
		}
	}},
}

// wantOneStop runs an informer of a feed, ends its watch in each way that there
// is, and counts how often it is stopped.
func (t *T) wantOneStop(newFeed func() *feed) {
	t.Helper()
	for name, end := range map[string]func(*fedWatch, func()){
		"by the server": func(w *fedWatch, _ func()) { w.close() },
		"by an error":   func(w *fedWatch, _ func()) { w.send(watch.Error, &expired.ErrStatus) },
		"by the stop":   func(_ *fedWatch, stop func()) { stop() },
	} {
		lw := newFeed()
		stop := t.start(t.newInformer(lw, cache.SharedIndexInformerOptions{}).RunWithContext)
		w := lw.latest()
		w.send(watch.Added, podAt("a", "2"))
		end(w, stop)
		stop()
		t.equal("stops of a watch that was ended "+name, w.stopped(), 1)
	}
}

// watchRequests returns the requests for watches.
func (w *world) watchRequests() []cachetest.Request {
	return slices.DeleteFunc(w.api.Requests(), func(r cachetest.Request) bool { return r.Verb == cachetest.List })
}

// wantTimeouts checks the options of watches, which are many.
func (t *T) wantTimeouts(watches []cachetest.Request, least time.Duration) {
	t.Helper()
	seen := map[int64]bool{}
	for _, r := range watches {
		if o := r.Options; o.ResourceVersion != "2" || !o.AllowWatchBookmarks || o.TimeoutSeconds == nil {
			t.Fatalf("asked for %+v", o)
		}
		seconds := *r.Options.TimeoutSeconds
		if timeout := time.Duration(seconds) * time.Second; timeout < least || timeout > 2*least {
			t.Errorf("timeout is %v, want %v to %v", timeout, least, 2*least)
		}
		seen[seconds] = true
	}
	if len(watches) < 20 || len(seen) < 2 {
		t.Errorf("%d watches have %d different timeouts", len(watches), len(seen))
	}
}

// createElsewhere creates a pod in another namespace.
func (w *world) createElsewhere() {
	p := pod("x")
	p.Namespace = "elsewhere"
	_, err := w.api.Create(p)
	w.check(err)
}

// backoffs are the times between requests.
func backoffs(requests []cachetest.Request) []time.Duration {
	var all []time.Duration
	for i := range requests[1:] {
		all = append(all, requests[i+1].Arrived.Sub(requests[i].Arrived))
	}
	return all
}
