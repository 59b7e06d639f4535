package conformance

import (
	"net/http"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// watchListCases are about watches that begin with the whole list (KEP-3157).
var watchListCases = []testCase{
	{statement: "WL1", title: "a watch-list asks for initial events not older than what was seen", test: func(t *T) {
		w := t.streaming("a")
		w.run()
		w.relist(func() { w.create("b") })
		requests := w.api.Requests()
		t.equal("requests", versionsOf(requests), []string{"watchlist ", "watchlist 2"})
		for _, r := range requests {
			o := r.Options
			if o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || !o.AllowWatchBookmarks || o.TimeoutSeconds == nil {
				t.Errorf("asked for %+v", o)
			}
		}
		w.wantStored("a@2", "b@3")
	}},

	{statement: "WL2", title: "nothing is stored before the bookmark that closes the initial events, and all at once with it", test: func(t *T) {
		lw := t.newStream()
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		r := &recorder{T: t, hook: func(string) {
			t.equal("store", stored(informer.GetStore()), []string{"a@2", "b@1"})
		}}
		_, err := informer.AddEventHandler(r)
		t.check(err)
		t.start(informer.RunWithContext)
		w := lw.latest()
		w.send(watch.Added, podAt("b", "1"))
		w.send(watch.Added, podAt("a", "2"))
		w.send(watch.Bookmark, bookmark("5", "false"))
		if informer.HasSynced() || len(informer.GetStore().ListKeys()) > 0 {
			t.Error("in sync before the bookmark")
		}
		w.send(watch.Bookmark, bookmark("7", "true"))
		r.wantUnordered("initial a@2", "initial b@1")
		t.equal("version of the store", t.versionOf(informer.GetStore()), "7")
	}},

	{statement: "WL2", title: "the watch continues after the bookmark", test: func(t *T) {
		w := t.streaming("a")
		r := w.handle()
		w.run()
		w.create("b")
		r.want("initial a@2", "add b@3")
		w.wantRequests("watchlist -")
	}},

	{statement: "WL3", title: "changes before the bookmark are merged into the list", test: func(t *T) {
		lw := t.newStream()
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		w := lw.latest()
		w.send(watch.Added, podAt("a", "2"))
		w.send(watch.Added, podAt("b", "3"))
		w.send(watch.Modified, podAt("a", "4"))
		w.send(watch.Deleted, podAt("b", "5"))
		w.send(watch.Bookmark, bookmark("5", "true"))
		t.equal("store", stored(informer.GetStore()), []string{"a@4"})
	}},

	{statement: "WL4", title: "a server without watch-lists leads to a list at once", test: func(t *T) {
		w := t.streaming("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, Err: cachetest.Status(http.StatusUnprocessableEntity)})
		w.run()
		w.wantRequests("watchlist -", "list 0 limit 500", "watch 2")
	}},

	{statement: "WL4", title: "an error before the bookmark leads to a list, this time", test: func(t *T) {
		w := t.streaming("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Opened: true, Err: cachetest.Status(http.StatusInternalServerError)})
		w.run()
		w.wantRequests("watchlist -", "list 0 limit 500", "watch 2")
		w.relist(func() {})
		w.wantRequests("watchlist 2")
	}},

	{statement: "WL4", title: "a server that is busy or down leads to another watch-list", test: func(t *T) {
		for _, refusal := range []error{cachetest.ErrConnectionRefused, cachetest.Status(http.StatusTooManyRequests)} {
			w := t.streaming("a")
			w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: 2, Err: refusal})
			w.run()
			w.pass(time.Minute)
			requests := w.api.Requests()
			w.wantRequests("watchlist -", "watchlist -", "watchlist -")
			t.equal("backoff", slices.Min(backoffs(requests)) >= 800*time.Millisecond, true)
		}
	}},

	{statement: "WL4", title: "a backoff before another watch-list delays no stop", test: func(t *T) {
		w := t.streaming("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, Err: cachetest.ErrConnectionRefused})
		stop := w.run()
		w.pass(20 * time.Second)
		began := time.Now()
		stop()
		t.equal("delay", time.Since(began), time.Duration(0))
	}},

	{statement: "WL4", title: "a version that the server does not have is dropped at once", test: func(t *T) {
		for _, refusal := range []error{expired, tooLarge} {
			w := t.streaming("a")
			w.run()
			w.requests()
			w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Opened: true, Err: refusal})
			w.relist(func() {})
			requests := w.api.Requests()
			w.wantRequests("watchlist 2", "watchlist -")
			t.equal("backoff", backoffs(requests)[0], time.Duration(0))
		}
	}},

	{statement: "WL5", title: "a watch-list that ends before the bookmark is restarted", test: func(t *T) {
		lw := t.newStream()
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		lw.latest().send(watch.Added, podAt("a", "2"))
		lw.latest().close()
		t.pass(2 * time.Second)
		lw.latest().send(watch.Added, podAt("b", "3"))
		lw.latest().send(watch.Bookmark, bookmark("3", "true"))
		t.equal("store", stored(informer.GetStore()), []string{"b@3"})
		t.equal("watches", lw.versions(), []string{"", ""})
	}},

	{statement: "WL5", title: "a watch-list that ends after the bookmark is followed by a watch from the last event", test: func(t *T) {
		w := t.streaming("a")
		w.run()
		w.create("b")
		w.pass(2 * time.Second)
		w.api.CloseWatches()
		w.wantRequests("watchlist -", "watch 3")
	}},

	{statement: "WL6", title: "410 to the next watch is reported", test: func(t *T) {
		w := t.streaming("a")
		failures := w.watchErrors()
		w.run()
		w.pass(2 * time.Second)
		w.requests()
		w.api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: expired})
		w.api.CloseWatches()
		w.pass(time.Minute)
		w.wantRequests("watch 2", "watchlist 2")
		if len(*failures) != 1 || !apierrors.IsResourceExpired((*failures)[0]) {
			t.Errorf("failures are %v", *failures)
		}
	}},

	{statement: "WL7", title: "a server that never sends the bookmark leads to a list", test: func(t *T) {
		w := t.streaming("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
		w.run()
		w.pass(time.Minute)
		w.wantStored("a@2")
		w.wantRequests("watchlist -", "list 0 limit 500", "watch 2")
	}},

	{statement: "WL7", title: "a server that sends changes in place of the bookmark leads to a list", test: func(t *T) {
		w := t.streaming("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true})
		w.run()
		for range 30 {
			w.pass(time.Second)
			w.update("a")
		}
		w.wantStored("a@32")
		t.equal("first requests", w.requests()[:2], []string{"watchlist -", "list 0 limit 500"})
	}},

	{statement: "WL7", title: "a server whose bookmark has no annotation leads to a list", test: func(t *T) {
		lw := t.newFeed(&v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "2"}, Items: []v1.Pod{*podAt("a", "2")}})
		lw.listOnly = false
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		w := lw.latest()
		w.send(watch.Added, podAt("b", "1"))
		w.send(watch.Bookmark, bookmark("2", ""))
		t.pass(2 * time.Second)
		t.equal("store", stored(informer.GetStore()), []string{"a@2"})
	}},

	{statement: "WL8", title: "a client that declares that it has no watch-lists gets no request for one", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.wantRequests("list 0 limit 500", "watch 2")
	}},

	{statement: "WL8", title: "a client without such a declaration gets a request for one", test: func(t *T) {
		w := t.listing("a")
		lw := &cache.ListWatch{ListWithContextFunc: w.lw.ListWithContext, WatchFuncWithContext: w.lw.WatchWithContext}
		w.informer = t.newInformer(lw, cache.SharedIndexInformerOptions{})
		w.run()
		w.wantRequests("watchlist -")
		w.wantStored("a@2")
	}},

	{statement: "WL9", title: "an object is transformed before it is stored, and once", test: func(t *T) {
		w := t.streaming("a", "b")
		transformed := w.countTransforms()
		w.run()
		w.create("c")
		w.pass(0)
		t.equal("transforms", *transformed, 3)
		for _, obj := range w.informer.GetStore().List() {
			t.equal("label", obj.(*v1.Pod).Labels["transformed"], "yes")
		}
	}},

	{statement: "WL10", title: "a watch-list that differs from the list ends an informer if enabled", test: func(t *T) {
		t.differ(func(lw *feed) { t.start(t.newInformer(lw, cache.SharedIndexInformerOptions{}).RunWithContext) })
	}},
}

// differ gives what it starts a watch-list that is not the list.
func (t *T) differ(start func(*feed)) {
	t.Helper()
	t.rerun("KUBE_WATCHLIST_INCONSISTENCY_DETECTOR=true", "inconsistency", func() {
		lw := t.newStream()
		start(lw)
		lw.latest().send(watch.Added, podAt("a", "1"))
		lw.latest().send(watch.Bookmark, bookmark("1", "true"))
		t.pass(time.Minute)
	})
}

// countTransforms gives the informer a transform, and counts its calls.
func (w *world) countTransforms() *int {
	w.Helper()
	n := 0
	w.check(w.informer.SetTransform(func(obj any) (any, error) {
		n++
		obj.(*v1.Pod).Labels = map[string]string{"transformed": "yes"}
		return obj, nil
	}))
	return &n
}
