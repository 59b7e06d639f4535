package conformance

import (
	"context"
	"net/http"
	"strings"
	"testing/synctest"
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

// listCases are about what is asked for with a list.
var listCases = []testCase{
	{statement: "L1", title: "the first list accepts any version, a relist none older than the last one seen", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.wantRequests("list 0 limit 500", "watch 2")
		w.create("b")
		w.relist(func() { w.create("c") })
		w.wantRequests("list 3", "watch 4")
	}},

	{statement: "L2", title: "a relist has no limit, so that a server answers it from its cache", test: func(t *T) {
		w := t.listing("a")
		w.run()
		for range 3 {
			w.api.ResetRequests()
			w.relist(func() {})
			w.wantRequests("list 2", "watch 2")
		}
	}},

	{statement: "L4", title: "if a server without a watch cache pages, all later lists request pages", test: func(t *T) {
		w := t.listing(names(501)...)
		w.api.SetWatchCache(false)
		w.run()
		w.wantRequests("list 0 limit 500", "list - limit 500 continued", "watch 502")
		w.relist(func() {})
		w.wantRequests("list 502 limit 500", "list - limit 500 continued", "watch 502")
	}},

	{statement: "L5", title: "a version that the server does not have is dropped at once, and for one list", test: func(t *T) {
		w := t.listing("a")
		w.run()
		for _, refusal := range []error{expired, tooLarge} {
			w.api.ResetRequests()
			w.api.Fail(cachetest.Fault{Verb: cachetest.List, Err: refusal})
			w.relist(func() {})
			requests := w.api.Requests()
			t.equal("versions", versionsOf(requests), []string{"list 2", "list ", "watch 2"})
			if first, second := requests[0].Arrived, requests[1].Arrived; first != second {
				t.Errorf("the second list came %v after the first", second.Sub(first))
			}
		}
	}},

	{statement: "L5", title: "a list of the latest state that fails too is retried later", test: func(t *T) {
		w := t.listing("a")
		w.run()
		w.api.ResetRequests()
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Times: 2, Err: expired})
		w.relist(func() {})
		requests := w.api.Requests()
		t.equal("versions", versionsOf(requests), []string{"list 2", "list ", "list ", "watch 2"})
		if requests[1].Arrived.Equal(requests[2].Arrived) {
			t.Error("the third list came at once")
		}
	}},

	{statement: "L6", title: "a version that is too large is recognised in three forms", test: func(t *T) {
		const message = "Too large resource version"
		forms := map[string]func(*metav1.Status){
			"type of a cause": func(s *metav1.Status) {
				s.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
			},
			"message of a cause": func(s *metav1.Status) { s.Details.Causes = []metav1.StatusCause{{Message: message}} },
			"message":            func(s *metav1.Status) { s.Message = message + ": 7, current: 5" },
		}
		for name, form := range forms {
			refusal := apierrors.NewTimeoutError("timeout", 0)
			form(&refusal.ErrStatus)
			w := t.listing("a")
			w.run()
			w.api.ResetRequests()
			w.api.Fail(cachetest.Fault{Verb: cachetest.List, Err: refusal})
			w.relist(func() {})
			t.equal(name, versionsOf(w.api.Requests()), []string{"list 2", "list ", "watch 2"})
		}
	}},

	{statement: "L7", title: "a list that expires between two pages is requested as one page", test: func(t *T) {
		w := t.listing(names(501)...)
		w.api.SetWatchCache(false)
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Page: 2, Err: expired})
		w.run()
		w.wantRequests("list 0 limit 500", "list - limit 500 continued", "list 0", "watch 502")
		t.equal("stored objects", len(w.informer.GetStore().ListKeys()), 501)
	}},

	{statement: "L8", title: "a further page names no version", test: func(t *T) {
		w := t.listing(names(1001)...)
		w.api.SetWatchCache(false)
		w.run()
		for _, r := range w.api.Requests()[1:3] {
			if r.Options.Continue == "" || r.Options.ResourceVersion != "" || r.Options.ResourceVersionMatch != "" {
				t.Errorf("asked for %+v", r.Options)
			}
		}
	}},

	{statement: "L9", title: "an object does not keep the page that it came on", test: func(t *T) {
		page := &v1.PodList{Items: []v1.Pod{*podAt("a", "2"), *podAt("b", "3")}}
		page.ResourceVersion = "3"
		lw := t.newFeed(page)
		lw.ListWithContextFunc = func(context.Context, metav1.ListOptions) (runtime.Object, error) { return page, nil }
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		objs := informer.GetStore().List()
		t.equal("stored objects", len(objs), 2)
		for _, obj := range objs {
			for i := range page.Items {
				if obj == &page.Items[i] {
					t.Errorf("%s is kept in the page", describe(obj))
				}
			}
		}
	}},

	{statement: "L10", title: "a list that ignores its context delays no stop", test: func(t *T) {
		answer := make(chan struct{})
		lw := t.newFeed(emptyList("1"))
		lw.ListWithContextFunc = func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			<-answer
			return emptyList("1"), nil
		}
		informer := t.newInformer(lw, cache.SharedIndexInformerOptions{})
		stop := t.start(informer.RunWithContext)
		began := time.Now()
		stop()
		t.equal("delay", time.Since(began), time.Duration(0))
		close(answer)
		synctest.Wait()
		if informer.HasSynced() || !informer.IsStopped() {
			t.Error("a list after the stop counts")
		}
	}},

	{statement: "L11", title: "the error of a list is wrapped in one that says so", test: func(t *T) {
		w := t.listing("a")
		w.api.Fail(cachetest.Fault{Verb: cachetest.List, Err: cachetest.Status(http.StatusForbidden)})
		failures := w.watchErrors()
		w.run()
		t.equal("failures", len(*failures), 1)
		if err := (*failures)[0]; !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "list") {
			t.Errorf("error is %v", err)
		}
		w.pass(time.Minute)
		w.wantStored("a@2")
	}},

	{statement: "L11", title: "a list in the form of a table is an error", test: func(t *T) {
		table := &unstructured.UnstructuredList{}
		table.SetAPIVersion("meta.k8s.io/v1")
		table.SetKind("Table")
		informer := t.newInformerOf(t.newFeed(table), &unstructured.Unstructured{}, cache.SharedIndexInformerOptions{})
		failures := t.watchErrorsOf(informer)
		t.start(informer.RunWithContext)
		if informer.HasSynced() || len(*failures) != 1 {
			t.Errorf("in sync %t, failures %v", informer.HasSynced(), *failures)
		}
	}},

	{statement: "L11", title: "a watched table is left out", test: func(t *T) {
		list := &unstructured.UnstructuredList{}
		list.SetResourceVersion("1")
		lw := t.newFeed(list)
		informer := t.newInformerOf(lw, &unstructured.Unstructured{}, cache.SharedIndexInformerOptions{})
		t.start(informer.RunWithContext)
		table, object := &unstructured.Unstructured{}, &unstructured.Unstructured{}
		table.SetAPIVersion("meta.k8s.io/v1beta1")
		table.SetKind("Table")
		object.SetAPIVersion("v1")
		object.SetKind("Pod")
		object.SetName("a")
		object.SetResourceVersion("2")
		lw.latest().send(watch.Added, table)
		lw.latest().send(watch.Added, object)
		t.equal("store", stored(informer.GetStore()), []string{"a@2"})
	}},
}

var tooLarge = func() error {
	err := apierrors.NewTimeoutError("Too large resource version", 0)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}()

// versionsOf describes requests by verb and resourceVersion.
func versionsOf(requests []cachetest.Request) []string {
	var all []string
	for _, r := range requests {
		all = append(all, string(r.Verb)+" "+r.Options.ResourceVersion)
	}
	return all
}
