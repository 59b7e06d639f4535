//go:build !before37

package sources

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
)

func TestTypedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := fcache.NewFakeControllerSource()
		source.Add(pod("a", "one", "n1"))
		source.Add(pod("a", "two", ""))
		c, err := NewTypedCounter(cache.NewSharedIndexInformerWithOptions(source, &v1.Pod{}, cache.SharedIndexInformerOptions{Indexers: cache.Indexers{}}))
		if err != nil {
			t.Fatal(err)
		}
		stopCh := make(chan struct{})
		if !c.Start(stopCh) {
			t.Fatal("not in sync")
		}
		wantEvents(t, &c.PodCounter, "add a/one true")
		source.Modify(pod("a", "two", "n1"))
		source.Modify(pod("a", "one", "n1"))
		source.Delete(pod("a", "one", "n1"))
		wantEvents(t, &c.PodCounter, "add a/two false", "delete a/one false", "update a/one")
		if names, err := c.NamesOnNode("n1"); err != nil || !slices.Equal(names, []string{"two"}) {
			t.Errorf("on the node: %v, %v", names, err)
		}
		source.DeleteDropWatch(pod("a", "two", "n1"))
		source.ResetWatch()
		time.Sleep(2 * time.Minute)
		wantEvents(t, &c.PodCounter, "delete a/two true")
		close(stopCh)
		source.Shutdown()
	})
}
