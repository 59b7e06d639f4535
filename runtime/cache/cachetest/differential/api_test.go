package differential_test

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// api is the API in memory as a server, over HTTP. Versions and UIDs are its own.
type api struct {
	*cachetest.API[*v1.Pod]
	config      *rest.Config
	cutting     sync.Mutex
	started     bool
	down        bool
	uninstalled bool
	// unknown reports whether nobody can tell that the history is a new one.
	unknown bool
}

func newAPI() *api {
	a := &api{API: cachetest.NewAPI[*v1.Pod]()}
	server := cachetest.NewServer()
	cachetest.Serve(server, podResource, "Pod", a.API)
	a.config = &rest.Config{
		Host:      "http://cachetest",
		Transport: endless{server, &a.cutting},
		QPS:       -1,
		APIPath:   "/api",
		ContentConfig: rest.ContentConfig{
			ContentType:          "application/json",
			GroupVersion:         &v1.SchemeGroupVersion,
			NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		},
	}
	return a
}

// endless keeps watches open until a script cuts them. Those that end at random times
// could end when a script cuts the next one.
type endless struct {
	http.RoundTripper
	// cutting is held while nothing may be asked of the API.
	cutting *sync.Mutex
}

func (e endless) RoundTrip(r *http.Request) (*http.Response, error) {
	e.cutting.Lock()
	e.cutting.Unlock() //nolint:staticcheck // only those that come meanwhile have to wait
	r = r.Clone(r.Context())
	query := r.URL.Query()
	query.Del("timeoutSeconds")
	r.URL.RawQuery = query.Encode()
	return e.RoundTripper.RoundTrip(r)
}

func (a *api) listerWatcher() cache.ListerWatcher {
	client, err := rest.RESTClientFor(a.config)
	if err != nil {
		panic(err)
	}
	return cache.NewListWatchFromClient(client, "pods", metav1.NamespaceAll, fields.Everything())
}

func (a *api) source() core.Source[*v1.Pod] {
	client, err := source.NewClient(a.config)
	if err != nil {
		panic(err)
	}
	return source.New[*v1.Pod](client, podResource, metav1.NamespaceAll)
}

func (a *api) do(s step) {
	a.cutting.Lock()
	defer a.cutting.Unlock()
	switch s.kind {
	case start:
		a.started = true
	case write:
		a.change(s)
	case cut:
		a.cut(s)
	case down:
		a.down = true
		a.ClearFaults()
		a.Fail(cachetest.Fault{Times: -1, Err: s.fault.err})
		a.BreakWatches(broken(s.fault))
	case up:
		a.down = false
		a.ClearFaults()
	case bookmark:
		a.Bookmark()
	case uninstall:
		a.uninstalled = true
		a.Uninstall()
	case install:
		a.uninstalled = false
		a.Install()
	case restart:
		a.ClearFaults()
		before := a.ResourceVersion()
		a.Restart()
		// A history that has just reached the same version can't be told apart.
		a.unknown = a.ResourceVersion() == before
	}
}

// broken returns the error with which a fault ends an open watch. A fault without a status of the server
// breaks the connection.
func broken(f fault) error {
	if f.name == closed.name || f.name != undecodableCut && f.status() != nil {
		return f.err
	}
	return cachetest.ErrConnectionReset
}

// cut ends the watches. Changes are seen by those that are opened next, unless what
// came before the last one is forgotten.
func (a *api) cut(s step) {
	if !a.down {
		a.ClearFaults()
		for _, f := range s.failures {
			lists := func(r cachetest.Request) bool { return (r.Verb == cachetest.List) == f.list }
			a.Fail(cachetest.Fault{If: lists, Times: f.times, Err: f.fault.err})
		}
	}
	a.BreakWatches(broken(s.fault))
	a.change(s)
	if s.fault.relists {
		a.Compact()
	}
}

func (a *api) change(s step) {
	for _, c := range s.changes {
		p, err := a.Get(types.NamespacedName{Namespace: namespace, Name: c.name})
		there := err == nil
		switch {
		case a.uninstalled:
			err = nil
		case c.event == watch.Deleted && there:
			_, err = a.Delete(types.NamespacedName{Namespace: namespace, Name: c.name})
		case c.event == watch.Deleted:
			err = nil
		case there:
			p.Labels = maps.Clone(c.pod().Labels)
			_, err = a.Update(p)
		default:
			p = c.pod()
			p.UID, p.ResourceVersion = "", ""
			_, err = a.Create(p)
		}
		if err != nil {
			panic(err)
		}
	}
}

func (a *api) pods() ([]string, bool) {
	return describeAll(slices.Clone(a.Objects())), a.started && !a.down && !a.uninstalled && !a.unknown
}

func (a *api) latest() string { return a.ResourceVersion() }

// beat sends a bookmark, as real servers do about every minute.
func (a *api) beat() { a.Bookmark() }

// watchedFor is long: bookmarks keep informers from opening watches by themselves.
func (a *api) watchedFor() time.Duration { return time.Hour }
