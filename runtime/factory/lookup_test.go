package factory_test

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/references"
)

// Objects are found in every store of the factory, also of client-go's informers, under the
// names that the status has.
func TestLookup(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)))
		f.pods()
		nodes := f.InformerFor(&v1.Node{}, func(time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(neverAnswers, &v1.Node{}, 0, nil)
		})
		a := pod("a", "1", nil)
		key := types.NamespacedName{Namespace: a.Namespace, Name: a.Name}
		if found := f.Lookup(key); len(found) != 0 {
			t.Errorf("before the start: %v", found)
		}
		f.StartWithContext(ctx)
		time.Sleep(time.Second)
		if found := f.Lookup(key); len(found) != 1 || found["pods.v1"].(*v1.Pod).Name != "1" {
			t.Errorf("found %v", found)
		}
		node := &v1.Node{}
		node.Name = "n"
		if err := nodes.GetStore().Add(node); err != nil {
			t.Fatal(err)
		}
		if found := f.Lookup(types.NamespacedName{Name: "n"}); len(found) != 1 || found["*v1.Node"] != any(node) {
			t.Errorf("found %v", found)
		}
		if found := f.Lookup(types.NamespacedName{Namespace: "elsewhere", Name: "a"}); found == nil || len(found) != 0 {
			t.Errorf("found %v", found)
		}
		stop()
		f.Shutdown()
	})
}

// A look at the status page follows no name, and sends nothing.
func TestLookupFollowsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset(pod("a", "1", nil), pod("a", "2", nil))
		set := references.NewSetOnDemand(10)
		f := podFactory{client, New(0, ForType(TypeOptions[*v1.Pod]{References: set}))}
		pods := f.pods()
		f.StartWithContext(ctx)
		time.Sleep(time.Second)
		if _, exists, err := pods.GetIndexer().GetByKey("a/1"); !exists || err != nil {
			t.Errorf("got %v, %v", exists, err)
		}
		time.Sleep(time.Second)
		requests := len(client.Actions())
		for name, want := range map[string]int{"1": 1, "2": 0} {
			if found := f.Lookup(types.NamespacedName{Namespace: "a", Name: name}); len(found) != want {
				t.Errorf("%s: found %v", name, found)
			}
		}
		time.Sleep(time.Second)
		if names := set.Names(); len(names) != 1 || len(client.Actions()) != requests {
			t.Errorf("the set has %v, and there were %d requests more", names, len(client.Actions())-requests)
		}
		stop()
		f.Shutdown()
	})
}
