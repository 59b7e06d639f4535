package cachetest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
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
		"none":               {Verb: cachetest.Get},
		"forbidden":          {Times: 3, Err: cachetest.Status(http.StatusForbidden)},
		"too many requests":  {Times: 3, Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 5)},
		"connection refused": {Times: 3, Err: cachetest.ErrConnectionRefused},
		"cut":                {Times: 3, After: 1, Err: cachetest.ErrConnectionReset},
		"expired in stream":  {Verb: cachetest.WatchList, After: 1, Err: cachetest.Status(http.StatusGone)},
		"second page":        {Verb: cachetest.List, Page: 2, Err: cachetest.Status(http.StatusGone)},
		"slow":               {Times: 2, Delay: 10 * time.Second},
	} {
		for mode, watchLists := range map[string][]cachetest.Fault{
			"served":   nil,
			"rejected": {{Verb: cachetest.WatchList, Times: -1, Err: cachetest.Status(http.StatusUnprocessableEntity)}},
			"endless":  {{Verb: cachetest.WatchList, Times: -1, LoseBookmarks: true}},
		} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(named("one", "a"), named("two", "a"), named("three", "a"))
					api.SetWatchCache(false)
					api.Fail(fault)
					api.Fail(watchLists...)
					informer := cache.New(api.Source(), cache.Options[object]{ListWatch: cache.ListWatch{PageSize: 2}})
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

// TestInformerInChaos: after any faults, the store and the handler's view are
// the API's state, on the API itself and over HTTP.
func TestInformerInChaos(t *testing.T) {
	for name, source := range map[string]func(*testing.T, *cachetest.API[object]) cache.Source[object]{
		"API":  func(_ *testing.T, api *cachetest.API[object]) cache.Source[object] { return api.Source() },
		"HTTP": overHTTP,
	} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(name, "/", seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := cachetest.NewAPI(named("thing1", ""), named("thing3", ""), named("thing4", ""), named("thing5", ""))
					api.SetWatchCache(false)
					api.FailRandomly(cachetest.Chaos{Seed: seed})
					informer := cache.New(source(t, api), cache.Options[object]{ListWatch: cache.ListWatch{PageSize: 2, IdleTimeout: time.Minute}})
					var seen cachetest.Recorder[object]
					if _, err := informer.AddHandler(&seen, cache.HandlerOptions{}); err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					ran := make(chan error)
					go func() { ran <- informer.Run(ctx) }()
					defer func() { cancel(); <-ran }()
					for i := range 200 {
						write(t, api, fmt.Sprint("thing", i%7), i)
						time.Sleep(3 * time.Second)
					}
					api.ClearFaults()
					time.Sleep(10 * time.Minute)
					compare(t, api, informer, &seen)
				})
			})
		}
	}
}

// write deletes an object that is there, for every third time, and updates or
// creates it otherwise.
func write(t *testing.T, api *cachetest.API[object], name string, i int) {
	t.Helper()
	key := types.NamespacedName{Name: name}
	_, err := api.Get(key)
	switch {
	case err != nil:
		_, err = api.Create(named(name, fmt.Sprint(i)))
	case i%3 == 0:
		_, err = api.Delete(key)
	default:
		_, err = api.Update(named(name, fmt.Sprint(i)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// overHTTP is a source that asks the API over HTTP.
func overHTTP(t *testing.T, api *cachetest.API[object]) cache.Source[object] {
	resource := schema.GroupVersionResource{Group: "test", Version: "v1", Resource: "things"}
	server := cachetest.NewServer()
	cachetest.Serve(server, resource, "Thing", api)
	client, err := source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return source.New[object](client, resource, "")
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
