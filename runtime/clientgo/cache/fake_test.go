package cache

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// fakeAPI serves pods to a client-go ListWatch. Watches start where their
// resourceVersion says.
type fakeAPI struct {
	mu      sync.Mutex
	pods    map[string]*v1.Pod
	version int
	// history holds the events after version forgotten.
	history   []watch.Event
	forgotten int
	watchers  []*watch.RaceFreeFakeWatcher
	// failure is the error that lists and watches return, if it is not nil.
	failure error
	// more are items that lists have besides the pods.
	more []v1.Pod
}

func newFakeAPI(pods ...*v1.Pod) *fakeAPI {
	a := &fakeAPI{pods: map[string]*v1.Pod{}}
	for _, p := range pods {
		a.set(p)
	}
	return a
}

// set creates or updates a pod.
func (a *fakeAPI) set(p *v1.Pod) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := p.Namespace + "/" + p.Name
	event := watch.Added
	if _, ok := a.pods[key]; ok {
		event = watch.Modified
	}
	p = p.DeepCopy()
	a.emit(event, p)
	a.pods[key] = p
}

func (a *fakeAPI) delete(namespace, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.pods[namespace+"/"+name].DeepCopy()
	delete(a.pods, namespace+"/"+name)
	a.emit(watch.Deleted, p)
}

func (a *fakeAPI) emit(event watch.EventType, p *v1.Pod) {
	a.version++
	p.ResourceVersion = strconv.Itoa(a.version)
	e := watch.Event{Type: event, Object: p.DeepCopy()}
	a.history = append(a.history, e)
	for _, w := range a.watchers {
		w.Action(e.Type, e.Object.DeepCopyObject())
	}
}

// send lets all watches have an event as it is.
func (a *fakeAPI) send(event watch.EventType, obj runtime.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.watchers {
		w.Action(event, obj)
	}
}

// disconnect ends all watches and forgets the history, so that the next watch
// from before is told to list again. Meanwhile it lets change do what it wants.
func (a *fakeAPI) disconnect(change func()) {
	a.mu.Lock()
	watchers := a.watchers
	a.watchers = nil
	a.mu.Unlock()
	change()
	a.mu.Lock()
	a.history, a.forgotten = nil, a.version
	a.mu.Unlock()
	for _, w := range watchers {
		w.Stop()
	}
}

// close ends all watches, as a server does after a time.
func (a *fakeAPI) close() {
	a.mu.Lock()
	watchers := a.watchers
	a.watchers = nil
	a.mu.Unlock()
	for _, w := range watchers {
		w.Stop()
	}
}

func (a *fakeAPI) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err
}

func (a *fakeAPI) list(context.Context, metav1.ListOptions) (runtime.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failure != nil {
		return nil, a.failure
	}
	list := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(a.version)}}
	for _, p := range a.pods {
		list.Items = append(list.Items, *p.DeepCopy())
	}
	list.Items = append(list.Items, a.more...)
	return list, nil
}

func (a *fakeAPI) watch(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failure != nil {
		return nil, a.failure
	}
	from, err := strconv.Atoi(options.ResourceVersion)
	if err != nil {
		return nil, err
	}
	if from < a.forgotten {
		return nil, apierrors.NewResourceExpired("too old")
	}
	w := watch.NewRaceFreeFake()
	for _, e := range a.history[from-a.forgotten:] {
		w.Action(e.Type, e.Object.DeepCopyObject())
	}
	a.watchers = append(a.watchers, w)
	return w, nil
}

// listWatch has no watch-list: a fake has no bookmarks.
func (a *fakeAPI) listWatch() ListerWatcher {
	return withoutWatchList{&ListWatch{ListWithContextFunc: a.list, WatchFuncWithContext: a.watch}}
}

type withoutWatchList struct{ *ListWatch }

func (withoutWatchList) IsWatchListSemanticsUnSupported() bool { return true }

// recorder is a handler that records its calls, one word a call.
type recorder struct {
	mu    sync.Mutex
	calls []string
}

func (r *recorder) note(words ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, strings.Join(words, " "))
}

// take returns the calls since the last take.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

func nameAndRole(obj any) string {
	p := obj.(*v1.Pod)
	if role := p.Labels["role"]; role != "" {
		return p.Name + "=" + role
	}
	return p.Name
}

func (r *recorder) OnAdd(obj any, initial bool) {
	if initial {
		r.note("initial", nameAndRole(obj))
		return
	}
	r.note("add", nameAndRole(obj))
}

func (r *recorder) OnUpdate(old, obj any) {
	if old == obj {
		r.note("resync", nameAndRole(obj))
		return
	}
	r.note("update", nameAndRole(old), nameAndRole(obj))
}

func (r *recorder) OnDelete(obj any) {
	if unknown, ok := obj.(DeletedFinalStateUnknown); ok {
		r.note("gone", unknown.Key, nameAndRole(unknown.Obj))
		return
	}
	r.note("delete", nameAndRole(obj))
}

// run starts an informer in a synctest bubble; the returned function stops it
// and waits until Run has returned.
func run(t *testing.T, informer SharedInformer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-done
	}
}
