package cache_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// A list is one delta of the queue, an event is another; each is counted out
// before the store takes it in, and then the store's version is reported.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var reported []string
		note := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, fmt.Sprintf(format, args...))
		}
		take := func() []string {
			settle()
			mu.Lock()
			defer mu.Unlock()
			defer func() { reported = nil }()
			return slices.Clone(reported)
		}
		api := cachetest.NewAPI(newThing("a"), newThing("b"))
		informer := run(t, api, cache.Options[*thing]{Metrics: cache.Metrics{
			Queued: func(deltas int) { note("queued %d", deltas) },
			Committed: func(took time.Duration, resourceVersion string) {
				note("committed %s in %v", resourceVersion, took)
			},
		}})

		expect(t, "after the list", []string{"queued 1", "queued 0", "committed 3 in 0s"}, take())
		touch(t, api, "a")
		expect(t, "after an event", []string{"queued 1", "queued 0", "committed 4 in 0s"}, take())
		informer.stop()
		expect(t, "after the end", []string{"queued 0"}, take())
	})
}

// Managed fields are dropped also from what a source delivers that keeps them, and before
// the transform.
func TestDropManagedFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		withFields := func(name string) *thing {
			obj := newThing(name)
			obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
			return obj
		}
		api := cachetest.NewAPI(withFields("a"))
		seen := 0
		r := run(t, api, cache.Options[*thing]{ListWatch: cache.ListWatch{DropManagedFields: true}, Transform: func(obj *thing) (*thing, error) {
			seen += len(obj.ManagedFields)
			return obj, nil
		}})
		if _, err := api.Create(withFields("b")); err != nil {
			t.Fatal(err)
		}
		settle()
		all := r.Store().List()
		for _, obj := range all {
			seen += len(obj.ManagedFields)
		}
		if len(all) != 2 || seen != 0 {
			t.Errorf("%d objects, %d managed fields", len(all), seen)
		}
	})
}
