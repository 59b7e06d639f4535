package cache_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// OnFailure decides on the backoff, within bounds, and when to give up.
func TestOnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403)})
		var failures []cache.Failure
		informer := cache.New(api.Source(), cache.Options[*thing]{DisableWatchList: true, ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
			failures = append(failures, f)
			return cache.Decision{Backoff: -1, Stop: f.Class == failure.ClassForbidden && f.Attempts == 5}
		}}})
		begin := time.Now()
		err := informer.Run(t.Context())
		if failure.ClassOf(err) != failure.ClassForbidden || !strings.Contains(err.Error(), "given up: list: ") {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(begin); took != 400*time.Millisecond {
			t.Errorf("4 backoffs of no time took %v, want 100 ms each", took)
		}
		if len(failures) != 5 {
			t.Errorf("%d failures, want 5", len(failures))
		}
		for i, f := range failures {
			if f.Attempts != i+1 || f.Phase != cache.PhaseListing || f.Backoff < 500*time.Millisecond {
				t.Errorf("failure %d: %+v", i, f)
			}
		}
		if err := informer.WaitForSync(t.Context()); !errors.Is(err, failure.ErrStopped) || failure.ClassOf(err) != failure.ClassForbidden {
			t.Errorf("WaitForSync: %v", err)
		}
	})
}

// targetedSource has a description of what it lists.
type targetedSource struct {
	cache.Objects
	namespace string
}

func (s targetedSource) Describe() cache.SourceInfo {
	orders := schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "orders"}
	return cache.SourceInfo{Resource: orders, Namespace: s.namespace}
}

// Errors that need operator action say which.
func TestErrorsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name      string
		namespace string
		code      int
		want      string
	}{
		{"forbidden", "", 403, "RBAC must grant list and watch on orders.shop.example.com (version v1) in all namespaces"},
		{"forbidden in a namespace", "ns", 403, `RBAC must grant list and watch on orders.shop.example.com (version v1) in namespace "ns"`},
		{"not found", "", 404, "the server does not have orders.shop.example.com (version v1) in all namespaces: is its CRD installed?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI[*thing]()
				api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(test.code)})
				r := start(t, cache.New[*thing](sourceOf(targetedSource{api, test.namespace}), cache.Options[*thing]{}))
				settle()
				if err := r.Status().LastError; err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
			})
		})
	}
}
