package cachetest_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

type object = *metav1.PartialObjectMetadata

func named(name, label string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"is": label}}}
}

// TestInformerUnderFaults: whatever goes wrong on the way, in the end the store
// and the handler's view are the API's state, and the handler was told by the
// contract.
func TestInformerUnderFaults(t *testing.T) {
	for name, fault := range map[string]cachetest.Fault{
		"none":               {},
		"forbidden":          {Times: 3, Err: cachetest.Status(http.StatusForbidden)},
		"too many requests":  {Times: 3, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 5)},
		"connection refused": {Times: 3, Err: cachetest.ErrConnectionRefused},
		"cut":                {Times: 3, After: 1, Err: cachetest.ErrConnectionReset},
		"expired in stream":  {Verb: cachetest.WatchList, After: 1, Err: cachetest.Status(http.StatusGone)},
		"second page":        {Verb: cachetest.List, Page: 2, Err: cachetest.Status(http.StatusGone)},
		"slow":               {Times: 2, Delay: 10 * time.Second},
	} {
		for mode, watchList := range map[string]cachetest.WatchListMode{
			"served": cachetest.WatchListServed, "rejected": cachetest.WatchListRejected, "endless": cachetest.WatchListEndless,
		} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(named("one", "a"), named("two", "a"), named("three", "a"))
					api.SetWatchList(watchList)
					api.SetWatchCache(false)
					api.Fail(fault)
					informer := cache.New(api, cache.Options[object]{PageSize: 2})
					var seen cachetest.Recorder[object]
					if _, err := informer.AddHandler(&seen, cache.HandlerOptions{}); err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					ran := make(chan error)
					go func() { ran <- informer.Run(ctx) }()
					if err := informer.WaitForSync(ctx); err != nil {
						t.Fatal(err)
					}
					change(t, api)
					time.Sleep(10 * time.Minute)
					compare(t, api, informer, &seen)
					cancel()
					if err := <-ran; err != nil {
						t.Error(err)
					}
					if got := api.Watches(); got != 0 {
						t.Errorf("%d watches are open after the informer", got)
					}
				})
			})
		}
	}
}

// change writes, before and after the history is lost.
func change(t *testing.T, api *cachetest.API[object]) {
	t.Helper()
	for _, write := range []func() (object, error){
		func() (object, error) { return api.Update(named("one", "b")) },
		func() (object, error) { return api.Delete(types.NamespacedName{Name: "two"}) },
		func() (object, error) { return api.Create(named("four", "b")) },
		func() (object, error) { api.BreakWatches(nil); return api.Delete(types.NamespacedName{Name: "three"}) },
		func() (object, error) { api.Compact(); return api.Create(named("two", "b")) },
	} {
		if _, err := write(); err != nil {
			t.Fatal(err)
		}
	}
}

func compare(t *testing.T, api *cachetest.API[object], informer *cache.Informer[object], seen *cachetest.Recorder[object]) {
	t.Helper()
	want, stored, viewed := map[string]string{}, map[string]string{}, map[string]string{}
	for _, obj := range api.Objects() {
		want[obj.Name] = obj.ResourceVersion
	}
	for _, obj := range informer.Store().List() {
		stored[obj.Name] = obj.ResourceVersion
	}
	for key, obj := range seen.View() {
		viewed[key.Name] = obj.ResourceVersion
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("store (-API +store):\n%s", diff)
	}
	if diff := cmp.Diff(want, viewed); diff != "" {
		t.Errorf("handler (-API +view):\n%s", diff)
	}
	if err := seen.Err(); err != nil {
		t.Error(err)
	}
}
