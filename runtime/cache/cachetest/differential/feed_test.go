package differential_test

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// feed is a server that has what a script gives it, whatever that is.
type feed struct {
	gate
	started bool
	version string
	// objects are the objects of a list. Several may have one key.
	objects []*v1.Pod
}

func newFeed(watchList bool) *feed {
	f := &feed{}
	f.watchList = watchList
	f.gate.list, f.gate.open = f.page, f.stream
	return f
}

func (f *feed) listerWatcher() cache.ListerWatcher { return f }

func (f *feed) source() core.Source[*v1.Pod] {
	return source.FromListerWatcher[*v1.Pod](f, &v1.Pod{})
}

func (f *feed) page() *v1.PodList {
	list := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: f.version}}
	for _, p := range f.objects {
		list.Items = append(list.Items, *p.DeepCopy())
	}
	return list
}

func (f *feed) stream(options metav1.ListOptions) (*watch.RaceFreeFakeWatcher, error) {
	w := watch.NewRaceFreeFake()
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		for _, p := range f.objects {
			w.Add(p.DeepCopy())
		}
		end := bookmarkOf(f.version)
		end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		w.Action(watch.Bookmark, end)
	}
	return w, nil
}

func bookmarkOf(version string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
}

func (f *feed) do(s step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch s.kind {
	case start:
		f.started = true
	case write:
		if f.watched() || f.unseen(f.started) {
			f.change(s, true)
		}
	case cut:
		if s.fault.relists && (f.watched() || f.unseen(f.started)) {
			f.change(s, false)
		}
	case bookmark:
		f.send(watch.Bookmark, bookmarkOf(s.version))
	case strange:
		for _, c := range s.changes {
			f.send(c.event, &v1.ConfigMap{ObjectMeta: c.pod().ObjectMeta})
		}
	}
	f.begin(s)
}

// change makes the changes of a step, and sends their events or not.
func (f *feed) change(s step, seen bool) {
	if s.whole {
		f.objects = nil
	}
	for _, c := range s.changes {
		p := c.pod()
		if s.whole {
			f.objects = slices.DeleteFunc(f.objects, func(o *v1.Pod) bool { return describe(o) == describe(p) })
		} else {
			f.objects = slices.DeleteFunc(f.objects, func(o *v1.Pod) bool { return o.Name == p.Name })
		}
		if c.event != watch.Deleted {
			f.objects = append(f.objects, p)
		}
		if seen {
			f.send(c.event, p)
		}
	}
	f.version = s.version
}

func (f *feed) pods() ([]string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return describeAll(f.objects), f.started && f.down == nil
}

// twice returns the last object of each name that several objects have.
func (f *feed) twice() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen, twice := map[string]bool{}, map[string]string{}
	for _, p := range f.objects {
		if seen[p.Name] {
			twice[p.Name] = describe(p)
		}
		seen[p.Name] = true
	}
	return twice
}
