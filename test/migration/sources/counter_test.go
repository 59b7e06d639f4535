package sources

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
)

func pod(namespace, name, node string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:     namespace,
			Name:          name,
			Labels:        map[string]string{"app": "web"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "test"}},
		},
		Spec: v1.PodSpec{NodeName: node},
	}
}

// run starts a counter, waits until the test is idle, and ends it.
func run(t *testing.T, test func(c *PodCounter, source *fcache.FakeControllerSource)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		source := fcache.NewFakeControllerSource()
		source.Add(pod("a", "one", "n1"))
		source.Add(pod("a", "two", ""))
		c, err := NewPodCounter(source)
		if err != nil {
			t.Fatal(err)
		}
		stopCh := make(chan struct{})
		if !c.Start(stopCh) {
			t.Fatal("not in sync")
		}
		test(c, source)
		close(stopCh)
		source.Shutdown()
		synctest.Wait()
		if !c.informer.IsStopped() {
			t.Error("the informer runs")
		}
	})
}

func wantEvents(t *testing.T, c *PodCounter, want ...string) {
	t.Helper()
	synctest.Wait()
	got := c.Events()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func wantCounts(t *testing.T, c *PodCounter, onNode, inNamespace int) {
	t.Helper()
	if got, err := c.OnNode("n1"); got != onNode || err != nil {
		t.Errorf("%d pods on the node, want %d: %v", got, onNode, err)
	}
	if got, err := c.InNamespace("a"); got != inNamespace || err != nil {
		t.Errorf("%d pods in the namespace, want %d: %v", got, inNamespace, err)
	}
}

func TestHandlersAndIndexes(t *testing.T) {
	run(t, func(c *PodCounter, source *fcache.FakeControllerSource) {
		wantEvents(t, c, "add a/one true")
		wantCounts(t, c, 1, 2)

		source.Modify(pod("a", "two", "n1"))
		wantEvents(t, c, "add a/two false")
		wantCounts(t, c, 2, 2)

		changed := pod("a", "two", "n1")
		changed.Labels["app"] = "db"
		source.Modify(changed)
		wantEvents(t, c, "update a/two")

		source.Modify(pod("a", "one", ""))
		wantEvents(t, c, "delete a/one")
		source.Delete(pod("a", "two", "n1"))
		wantEvents(t, c, "delete a/two")
		wantCounts(t, c, 0, 1)

		obj, exists, err := c.informer.GetStore().GetByKey("a/one")
		if err != nil || !exists || obj.(*v1.Pod).ManagedFields != nil {
			t.Errorf("got %v, %v, %v, want it without managed fields", obj, exists, err)
		}
	})
}

// A deletion that the watch does not see is found by the next list.
func TestTombstones(t *testing.T) {
	run(t, func(c *PodCounter, source *fcache.FakeControllerSource) {
		wantEvents(t, c, "add a/one true")
		source.DeleteDropWatch(pod("a", "one", "n1"))
		source.AddDropWatch(pod("a", "three", "n1"))
		wantEvents(t, c)
		source.ResetWatch()
		time.Sleep(2 * time.Minute)
		wantEvents(t, c, "add a/three false", "lost a/one n1")
		wantCounts(t, c, 1, 2)
	})
}

// What fails is tried again, and reported.
func TestWatchErrorHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := fcache.NewFakeControllerSource()
		source.Add(pod("a", "one", "n1"))
		lists := 0
		c, err := NewPodCounter(&cache.ListWatch{
			ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
				if lists++; lists <= 3 {
					return nil, errors.New("no")
				}
				return source.List(options)
			},
			WatchFunc: source.Watch,
		})
		if err != nil {
			t.Fatal(err)
		}
		stopCh := make(chan struct{})
		if !c.Start(stopCh) || c.errors != 3 {
			t.Errorf("in sync after %d failures that were reported, want 3", c.errors)
		}
		close(stopCh)
		source.Shutdown()
	})
}

func TestHandlersComeAndGo(t *testing.T) {
	run(t, func(c *PodCounter, source *fcache.FakeControllerSource) {
		if err := c.informer.RemoveEventHandler(c.handler); err != nil {
			t.Error(err)
		}
		c.Events()
		source.Add(pod("b", "one", "n1"))
		wantEvents(t, c)
		handler, err := c.informer.AddEventHandlerWithResyncPeriod(funcs(c), 0)
		if err != nil {
			t.Fatal(err)
		}
		wantEvents(t, c, "add a/one", "add a/two", "add b/one")
		if !handler.HasSynced() {
			t.Error("the handler is not in sync")
		}
	})
}

// TestImplementation says whose informers these are.
func TestImplementation(t *testing.T) {
	c, err := NewPodCounter(fcache.NewFakeControllerSource())
	if err != nil {
		t.Fatal(err)
	}
	t.Log("informers of", reflect.TypeOf(c.informer).Elem().PkgPath())
}
