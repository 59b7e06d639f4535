package faults_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/internal/podinformers"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// world is a server with the pods a, b and c, and an informer of them.
type world struct {
	*testing.T
	api      *cachetest.API[*v1.Pod]
	server   *cachetest.Server
	wire     *wire
	informer cache.SharedIndexInformer
	view     *view
	// without is a pod that does not count.
	without string
}

func newWorld(t *testing.T, i implementation, r row) *world {
	w := &world{T: t, without: r.without, api: cachetest.NewAPI[*v1.Pod](), server: cachetest.NewServer()}
	cachetest.Serve(w.server, v1.SchemeGroupVersion.WithResource("pods"), "Pod", w.api)
	cachetest.Serve(w.server, v1.SchemeGroupVersion.WithResource("nodes"), "Node", cachetest.NewAPI[*v1.Node]())
	w.wire = &wire{to: w.server, flooded: make(chan struct{})}
	informer, err := i.New(&rest.Config{
		Host:          "http://cachetest",
		Transport:     w.wire,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	}, podinformers.Options{Listing: r.listing})
	if err != nil {
		t.Fatal(err)
	}
	w.informer = informer
	w.view = &view{without: r.without, objects: map[string]string{}}
	w.add(w.view)
	w.create("a", "b", "c")
	go w.beat()
	return w
}

// beat sends bookmarks, as servers do.
func (w *world) beat() {
	for tick := time.NewTicker(time.Minute); ; {
		select {
		case <-tick.C:
			w.api.Bookmark()
		case <-w.Context().Done():
			tick.Stop()
			return
		}
	}
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) add(handler cache.ResourceEventHandler) cache.ResourceEventHandlerRegistration {
	w.Helper()
	handle, err := w.informer.AddEventHandler(handler)
	w.check(err)
	return handle
}

// run runs the informer until the returned function is called, which waits for
// its end.
func (w *world) run() (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.informer.RunWithContext(ctx)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	w.Cleanup(stop)
	return stop
}

// pass lets time pass, and whatever happens in it.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) create(names ...string) {
	w.Helper()
	for _, name := range names {
		_, err := w.api.Create(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}})
		w.check(err)
	}
}

func (w *world) update(name string) {
	w.Helper()
	pod, err := w.api.Get(key(name))
	w.check(err)
	pod.Labels = map[string]string{"changed-after": pod.ResourceVersion}
	_, err = w.api.Update(pod)
	w.check(err)
}

func (w *world) delete(name string) {
	w.Helper()
	_, err := w.api.Delete(key(name))
	w.check(err)
}

func key(name string) types.NamespacedName { return types.NamespacedName{Namespace: "ns", Name: name} }

// objects are the states of the server's pods.
func (w *world) objects() map[string]string { return statesOf(w.api.Objects()) }

// stored are the states of the pods in the informer's store.
func (w *world) stored() map[string]string {
	var pods []*v1.Pod
	for _, obj := range w.informer.GetStore().List() {
		pods = append(pods, obj.(*v1.Pod))
	}
	return statesOf(pods)
}

func statesOf(pods []*v1.Pod) map[string]string {
	all := map[string]string{}
	for _, pod := range pods {
		all[pod.Name] = state(pod)
	}
	return all
}

// state is different for each state of a pod, and for a pod that was created again.
func state(pod *v1.Pod) string { return fmt.Sprint(pod.UID, "@", pod.ResourceVersion) }

// difference says where the store, or the view of the handler, differs from the
// server; "" for nowhere.
func (w *world) difference() string {
	want, stored, known := w.objects(), w.stored(), w.view.get()
	for _, pods := range []map[string]string{want, stored, known} {
		delete(pods, w.without)
	}
	return cmp.Diff(want, stored) + cmp.Diff(want, known)
}

// status returns what an informer of the core says of itself, of the last object that it left out, and of
// the reason for its last relist.
func (w *world) status() string {
	status, ok := clientgocache.StatusOf(w.informer)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%v; %v; %v", status, status.LastObjectError, status.RelistReason)
}
