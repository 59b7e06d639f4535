package cache

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The objects of a resource that the server does not have any more are kept, as
// client-go keeps them, and no handler gets a deletion. Another than
// client-go's, the informer then says that the resource is absent.
func TestAbsentResourceKeepsObjects(t *testing.T) {
	for name, newInformer := range map[string]func(ListerWatcher) SharedIndexInformer{
		"client-go": func(lw ListerWatcher) SharedIndexInformer {
			return cache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, Indexers{})
		},
		"shared": func(lw ListerWatcher) SharedIndexInformer {
			return NewSharedIndexInformer(lw, &v1.Pod{}, 0, Indexers{})
		},
		"not shared": func(lw ListerWatcher) SharedIndexInformer {
			return newUnshared(InformerOptions{ListerWatcher: lw, ObjectType: &v1.Pod{}, Handler: ResourceEventHandlerFuncs{}}).informer
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, lw := podAPI("a", "b")
				informer := newInformer(lw)
				deletions := 0
				if _, err := informer.AddEventHandler(ResourceEventHandlerFuncs{DeleteFunc: func(any) { deletions++ }}); err != nil {
					t.Fatal(err)
				}
				defer run(t, informer)()
				api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(http.StatusNotFound)})
				api.BreakWatches(cachetest.Status(http.StatusGone))
				time.Sleep(time.Hour)
				keys := informer.GetStore().ListKeys()
				slices.Sort(keys)
				same(t, "keys", keys, []string{"ns/a", "ns/b"})
				if deletions != 0 {
					t.Errorf("%d deletions", deletions)
				}
				if status, ok := StatusOf(informer); ok != (name != "client-go") || ok && status.Phase != core.PhaseAbsent {
					t.Errorf("status %v, phase %v", ok, status.Phase)
				}
			})
		})
	}
}
