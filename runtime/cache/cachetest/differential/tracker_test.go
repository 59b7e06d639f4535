package differential_test

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// tracker is the object tracker of client-go's fake clientsets as a server. Objects have the versions and
// UIDs that a script gives them, and lists have the versions of the tracker.
type tracker struct {
	gate
	clienttesting.ObjectTracker
	started bool
}

func newTracker() *tracker {
	t := &tracker{ObjectTracker: clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())}
	t.gate.list, t.gate.open = t.page, t.stream
	return t
}

var podResource = v1.SchemeGroupVersion.WithResource("pods")

func (t *tracker) listerWatcher() cache.ListerWatcher { return &t.gate }

func (t *tracker) source() core.Source[*v1.Pod] {
	return source.FromClientset[*v1.Pod](&t.gate, t.gate.listPods, t.gate.watchPods)
}

// page lists in the order of the names: the tracker's own is random.
func (t *tracker) page() *v1.PodList {
	obj, err := t.ObjectTracker.List(podResource, v1.SchemeGroupVersion.WithKind("Pod"), namespace)
	if err != nil {
		panic(err)
	}
	list := obj.(*v1.PodList)
	slices.SortFunc(list.Items, func(x, y v1.Pod) int { return cmp.Compare(x.Name, y.Name) })
	return list
}

// stream opens a watch. It begins with the tracker's objects of later versions than the version of the
// options, in the order of the names.
func (t *tracker) stream(options metav1.ListOptions) (*watch.RaceFreeFakeWatcher, error) {
	opened, err := t.ObjectTracker.Watch(podResource, namespace, metav1.ListOptions{ResourceVersion: options.ResourceVersion})
	if err != nil {
		return nil, err
	}
	w := opened.(*watch.RaceFreeFakeWatcher)
	var initial []watch.Event
	for range len(w.ResultChan()) {
		initial = append(initial, <-w.ResultChan())
	}
	slices.SortFunc(initial, func(x, y watch.Event) int {
		return cmp.Compare(x.Object.(*v1.Pod).Name, y.Object.(*v1.Pod).Name)
	})
	for _, event := range initial {
		w.Action(event.Type, event.Object)
	}
	return w, nil
}

func (t *tracker) do(s step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch s.kind {
	case start:
		t.started = true
	case write:
		if t.watched() || t.unseen(t.started) {
			t.change(s)
		}
	case cut:
		if t.watched() && s.fault.relists {
			t.begin(s)
			t.change(s)
			return
		}
	}
	t.begin(s)
}

func (t *tracker) change(s step) {
	for _, c := range s.changes {
		p := c.pod()
		_, err := t.ObjectTracker.Get(podResource, namespace, p.Name)
		switch there := err == nil; {
		case c.event == watch.Deleted && there:
			err = t.ObjectTracker.Delete(podResource, namespace, p.Name)
		case c.event == watch.Deleted:
			err = nil
		case there:
			err = t.ObjectTracker.Update(podResource, p, namespace)
		default:
			err = t.ObjectTracker.Create(podResource, p, namespace)
		}
		if err != nil {
			panic(err)
		}
	}
}

func (t *tracker) pods() ([]string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var pods []*v1.Pod
	for _, p := range t.page().Items {
		pods = append(pods, &p)
	}
	return describeAll(pods), t.started && t.down == nil
}
