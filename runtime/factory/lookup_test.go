package factory_test

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
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
