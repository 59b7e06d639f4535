package sources

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"k8s.io/klog/v2"
)

func sortedKeys(store cache.Store) []string {
	keys := store.ListKeys()
	slices.Sort(keys)
	return keys
}

func TestReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := fcache.NewFakeControllerSource()
		source.Add(pod("a", "one", "n1"))
		stopCh := make(chan struct{})
		store := Mirror(source, stopCh)
		synctest.Wait()
		source.Add(pod("a", "two", "n1"))
		source.Delete(pod("a", "one", "n1"))
		synctest.Wait()
		if got := sortedKeys(store); !slices.Equal(got, []string{"a/two"}) || store.replaced.Load() != 1 || store.written.Load() != 1 {
			t.Errorf("has %v after %d lists and %d additions", got, store.replaced.Load(), store.written.Load())
		}
		close(stopCh)
		source.Shutdown()
	})
}

func TestUnsharedInformers(t *testing.T) {
	for name, newInformer := range Unshared {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := fcache.NewFakeControllerSource()
				source.Add(pod("a", "one", "n1"))
				record := &PodCounter{}
				store, controller := newInformer(source, funcs(record))
				stopCh := make(chan struct{})
				go controller.Run(stopCh)
				if !cache.WaitForCacheSync(stopCh, controller.HasSynced) {
					t.Error("not in sync")
				}
				wantEvents(t, record, "add a/one")
				source.Modify(pod("a", "one", "n2"))
				wantEvents(t, record, "update a/one")
				source.Add(pod("a", "two", "n1"))
				source.Delete(pod("a", "one", "n2"))
				wantEvents(t, record, "add a/two", "delete a/one")
				if got := sortedKeys(store); !slices.Equal(got, []string{"a/two"}) {
					t.Errorf("in the store: %v", got)
				}
				close(stopCh)
				source.Shutdown()
			})
		})
	}
}

func TestIndexer(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		byNode:               podNode,
	})
	for _, p := range []*v1.Pod{pod("a", "one", "n1"), pod("b", "one", "n1"), pod("b", "two", "n2")} {
		if err := indexer.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := indexer.Delete(pod("b", "one", "n1")); err != nil {
		t.Error(err)
	}
	keys, err := indexer.IndexKeys(byNode, "n1")
	if err != nil || !slices.Equal(keys, []string{"a/one"}) {
		t.Errorf("on the node: %v, %v", keys, err)
	}
	values := indexer.ListIndexFuncValues(byNode)
	slices.Sort(values)
	if !slices.Equal(values, []string{"n1", "n2"}) {
		t.Errorf("nodes: %v", values)
	}
	if _, err := indexer.ByIndex("byColor", "red"); err == nil {
		t.Error("an index that is not there")
	}
	var selected []string
	err = cache.ListAllByNamespace(indexer, "b", labels.SelectorFromSet(labels.Set{"app": "web"}), func(obj interface{}) {
		selected = append(selected, obj.(metav1.Object).GetName())
	})
	if err != nil || !slices.Equal(selected, []string{"two"}) {
		t.Errorf("selected %v, %v", selected, err)
	}
	lister := cache.NewGenericLister(indexer, v1.Resource("pods"))
	if _, err := lister.ByNamespace("a").Get("two"); err == nil || err.Error() != `pods "two" not found` {
		t.Errorf("error %v", err)
	}
}

func TestMutationCacheAndKeys(t *testing.T) {
	mutations := cache.NewIntegerResourceVersionMutationCache(klog.Background(), cache.NewStore(cache.MetaNamespaceKeyFunc), nil, time.Minute, true)
	written := pod("a", "one", "n1")
	written.ResourceVersion = "7"
	mutations.Mutation(written)
	if got, exists, err := mutations.GetByKey("a/one"); err != nil || !exists || got != written {
		t.Errorf("got %v, %v, %v, want what was just written", got, exists, err)
	}

	if _, err := cache.MetaNamespaceKeyFunc("not an object"); err == nil {
		t.Error("a string has a key")
	}
	if namespace, name, err := cache.SplitMetaNamespaceKey("a/one"); namespace != "a" || name != "one" || err != nil {
		t.Errorf("split into %q and %q: %v", namespace, name, err)
	}
}
