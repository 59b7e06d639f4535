package conformance

import (
	"context"
	"sync"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// feed is a ListerWatcher without a server: the case makes its lists and feeds
// its watches.
type feed struct {
	*T
	cache.ListWatch
	listOnly bool

	mu      sync.Mutex
	options []metav1.ListOptions
	watches []*fedWatch
}

// newFeed returns a feed that says it has no watch-list, and whose every list is
// the one given.
func (t *T) newFeed(list runtime.Object) *feed {
	f := &feed{T: t, listOnly: true}
	f.ListWithContextFunc = func(context.Context, metav1.ListOptions) (runtime.Object, error) {
		return list.DeepCopyObject(), nil
	}
	f.WatchFuncWithContext = f.open
	return f
}

// newStream returns a feed with watch-lists.
func (t *T) newStream() *feed {
	f := t.newFeed(emptyList("1"))
	f.listOnly = false
	return f
}

func emptyList(resourceVersion string) *v1.PodList {
	return &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: resourceVersion}}
}

func (f *feed) IsWatchListSemanticsUnSupported() bool { return f.listOnly }

func (f *feed) open(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &fedWatch{events: make(chan watch.Event, 100)}
	f.watches = append(f.watches, w)
	f.options = append(f.options, options)
	return w, nil
}

// versions are the resourceVersions of the watches.
func (f *feed) versions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, options := range f.options {
		all = append(all, options.ResourceVersion)
	}
	return all
}

// latest returns the watch that was opened last.
func (f *feed) latest() *fedWatch {
	f.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.watches) == 0 {
		f.Fatal("there is no watch")
	}
	return f.watches[len(f.watches)-1]
}

// fedWatch is one watch of a feed. It counts how it is used.
type fedWatch struct {
	events chan watch.Event

	mu    sync.Mutex
	stops int
}

func (w *fedWatch) ResultChan() <-chan watch.Event { return w.events }

func (w *fedWatch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stops++
}

func (w *fedWatch) stopped() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stops
}

// send feeds an event, and waits until all is done that it leads to.
func (w *fedWatch) send(event watch.EventType, obj runtime.Object) {
	w.events <- watch.Event{Type: event, Object: obj}
	synctest.Wait()
}

// close is the end of the watch by the server.
func (w *fedWatch) close() {
	close(w.events)
	synctest.Wait()
}

// bookmark returns the object of one. The end of initial events is "true",
// something else, or empty for none.
func bookmark(resourceVersion, initialEventsEnd string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: resourceVersion}}
	if initialEventsEnd != "" {
		p.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: initialEventsEnd}
	}
	return p
}
