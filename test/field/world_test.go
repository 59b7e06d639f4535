package field_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// host is the server's name.
const host = "field.example"

// world is an API server with pods, what is before it, and an informer of them.
type world struct {
	*testing.T
	virtual bool

	api      *cachetest.API[*v1.Pod]
	server   *cachetest.Server
	network  *network
	front    *front
	edge     *edge
	informer cache.SharedIndexInformer
	view     *view

	// proxy answers while on is true.
	proxy http.Handler
	on    atomic.Bool
	// removed is true if discovery lists no pods, and the server answers as if it did not have the
	// resource.
	removed atomic.Bool
}

func newWorld(t *testing.T, virtual bool, i implementation, r row) *world {
	w := &world{T: t, virtual: virtual, api: cachetest.NewAPI[*v1.Pod](), server: cachetest.NewServer()}
	cachetest.Serve(w.server, pods, "Pod", w.api)
	w.network = newNetwork(tcp)
	if virtual {
		w.network = newNetwork(pipe)
	}
	w.edge = &edge{next: http.HandlerFunc(w.serve), changed: time.Now()}
	w.front = &front{network: w.network, http2: r.http2, handler: w.edge, tune: r.tune}
	if r.proxy != nil {
		w.proxy = r.proxy(w)
	}
	w.view = &view{exists: w.exists, objects: map[string]string{}}
	w.informer = newInformer(t, i, w.config(r), r)
	if _, err := w.informer.AddEventHandler(w.view); err != nil {
		t.Fatal(err)
	}
	for n := range max(r.pods, 3) {
		w.create(podName(n))
	}
	w.create("beat")
	w.front.start()
	t.Cleanup(func() {
		_ = w.front.server().Close()
		w.network.close()
		time.Sleep(time.Second) // for handlers to end
	})
	go w.bookmark(r.bookmarks)
	return w
}

// podName returns a, b, c and so on.
func podName(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}
	return fmt.Sprint("z", n)
}

func (w *world) config(r row) *rest.Config {
	config := &rest.Config{
		Host:          "http://" + host,
		Dial:          w.network.dial,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	}
	if r.http2 {
		config.Host = "https://" + host
		config.CAData = authority
	}
	if r.config != nil {
		r.config(config)
	}
	return config
}

// serve answers as the API server, or as the proxy before it.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	if w.on.Load() && w.proxy != nil {
		w.proxy.ServeHTTP(rw, r)
		return
	}
	w.answer(rw, r)
}

// answer answers as the API server.
func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	switch path := strings.Trim(r.URL.Path, "/"); {
	case path == "api":
		writeJSON(rw, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case path == "apis":
		writeJSON(rw, metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}})
	case path == "api/v1":
		list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1"}
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: "nodes", Kind: "Node", Verbs: metav1.Verbs{"list", "watch"}})
		if !w.removed.Load() {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: metav1.Verbs{"list", "watch"}})
		}
		writeJSON(rw, list)
	default:
		w.server.ServeHTTP(rw, r)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// reverse is net/http's proxy before the API server.
func (w *world) reverse() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "api"}) },
		Transport: w.server,
		ErrorLog:  log.New(io.Discard, "", 0),
	}
}

// bookmark sends bookmarks, as servers do.
func (w *world) bookmark(every time.Duration) {
	if every == 0 {
		every = time.Minute
	}
	w.each(every, w.api.Bookmark)
}

// each does something again and again, until the end of the test.
func (w *world) each(period time.Duration, do func()) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-w.Context().Done():
			return
		}
	}
}

// run runs the informer until the returned function is called, which waits for
// its end.
func (w *world) run() {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.informer.RunWithContext(ctx)
	}()
	w.Cleanup(func() { cancel(); <-ended })
}

// pass lets time pass, and what happens in it.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	if w.virtual {
		synctest.Wait()
	}
}

// while does something again and again, for as long as work takes.
func (w *world) while(work func(), period time.Duration, do func()) {
	var done sync.WaitGroup
	stop := make(chan struct{})
	done.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				do()
			case <-stop:
				return
			}
		}
	})
	work()
	close(stop)
	done.Wait()
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Error(err)
	}
}

func (w *world) create(names ...string) {
	w.Helper()
	for _, name := range names {
		_, err := w.api.Create(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}})
		w.check(err)
	}
}

func (w *world) update(name string) *v1.Pod {
	w.Helper()
	pod, err := w.api.Get(key(name))
	w.check(err)
	pod.Labels = map[string]string{"changed-after": pod.ResourceVersion}
	pod, err = w.api.Update(pod)
	w.check(err)
	return pod
}

// beat changes the pod by which lateness is measured.
func (w *world) beat() {
	at := time.Now()
	w.view.wrote(w.update("beat"), at)
}

func (w *world) delete(name string) {
	w.Helper()
	_, err := w.api.Delete(key(name))
	w.check(err)
}

func (w *world) exists(pod *v1.Pod) bool {
	now, err := w.api.Get(key(pod.Name))
	return err == nil && now.UID == pod.UID
}

func key(name string) types.NamespacedName { return types.NamespacedName{Namespace: "ns", Name: name} }

func states(pods []*v1.Pod) map[string]string {
	all := map[string]string{}
	for _, pod := range pods {
		all[pod.Name] = state(pod)
	}
	return all
}

// state tells the states of a pod apart, also of one that was created again.
func state(pod *v1.Pod) string { return fmt.Sprint(pod.UID, "@", pod.ResourceVersion, pod.Labels) }

// difference tells where the store, or what the handler knows, differs from the
// server; "" for nowhere.
func (w *world) difference() string {
	var stored []*v1.Pod
	for _, obj := range w.informer.GetStore().List() {
		stored = append(stored, obj.(*v1.Pod))
	}
	want := states(w.api.Objects())
	return cmp.Diff(want, states(stored)) + cmp.Diff(want, w.view.get())
}

// right returns how long it takes until all is right, or false.
func (w *world) right() (time.Duration, bool) {
	began, timeout := time.Now(), time.Hour
	if !w.virtual {
		timeout = 3 * time.Minute
	}
	for time.Since(began) < timeout {
		if w.virtual {
			synctest.Wait()
		}
		if w.difference() == "" {
			return time.Since(began), true
		}
		w.pass(max(time.Since(began)/100, 20*time.Millisecond))
	}
	return 0, false
}

// status returns the text of the status of an informer of the core.
func (w *world) status() string {
	status, ok := clientgocache.StatusOf(w.informer)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%v; %v; %v", status, status.LastObjectError, status.RelistReason)
}
