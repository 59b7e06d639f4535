package factory_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	. "github.com/informer-gen/informer-gen/runtime/factory"
)

// newPond returns a factory of resources that each have a carp of their name,
// and the API of each.
func newPond(options Options, resources ...schema.GroupVersionResource) (*ResourceFactory, map[schema.GroupVersionResource]*cachetest.API[*testv1.Carp]) {
	apis := map[schema.GroupVersionResource]*cachetest.API[*testv1.Carp]{}
	for _, r := range resources {
		apis[r] = cachetest.NewAPI(&testv1.Carp{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: r.Resource}})
	}
	return NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		return apis[resource].InNamespace(namespace).Objects
	}, options), apis
}

func someResources(n int) []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for i := range n {
		all = append(all, schema.GroupVersionResource{Group: "pond.test", Version: "v1", Resource: fmt.Sprintf("fish%d", i)})
	}
	return all
}

func TestResourceFactory(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		fish := someResources(2)
		f, _ := newPond(Options{}, fish...)
		first, second := f.InformerFor(fish[0]), f.InformerFor(fish[1])
		if first == second || f.InformerFor(fish[0]) != first {
			t.Error("not one informer for each resource")
		}
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		if got := keys(second); !slices.Equal(got, []string{"a/fish1"}) {
			t.Errorf("in the store: %v", got)
		}
		stop()
		f.Shutdown()
	})
}

// While goroutines ask, start, wait and release at the same time, the last release leaves nothing running.
func TestConcurrentReleases(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		fish := someResources(3)
		f, apis := newPond(Options{}, fish...)
		var users sync.WaitGroup
		for user := range 8 {
			users.Go(func() {
				for round := range 20 {
					resource := fish[(user+round)%len(fish)]
					f.InformerFor(resource)
					f.StartWithContext(ctx)
					f.WaitForCacheSyncWithContext(ctx)
					<-f.Release(resource)
				}
			})
		}
		users.Wait()
		synctest.Wait()
		for resource, api := range apis {
			if n := api.Watches(); n != 0 || len(api.Requests()) == 0 {
				t.Errorf("%d watches of %s are open after %d requests", n, resource.Resource, len(api.Requests()))
			}
		}
		stop()
		f.Shutdown()
	})
}
