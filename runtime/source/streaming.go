package source

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// Streaming has sources learn from ListerWatchers what to request, and request it themselves, as
// sources of [New] do: responses are decoded while they arrive, with what is equal held once.
//
//	the first call ─► function of controller-runtime ─► its client with Config
//	                                                        │ keeps the request, and sends nothing
//	source ◄── resource, namespace, selectors ◄─────────────┘
//	   └─► lists and watches over a Client of the configuration
//
// So it is for the informers of controller-runtime's cache: see its method FromListerWatcher.
//
// A function that is not one of controller-runtime or client-go may filter what it lists, change it, or
// send several requests. It is called for each list, its client decodes the response, and a line in the
// log says so. Metadata alone, in which there is little to gain, is decoded by its client, too.
//
// [ClientsetObjects], and so generated factories, need no Streaming; the options of the Streaming whose
// Config a clientset was made with count there.
//
// It is safe for concurrent use.
type Streaming struct {
	shared    *decode.Shared
	maxObject int64
}

// NewStreaming returns a Streaming whose sources have in common what is equal.
func NewStreaming(options ClientOptions) *Streaming {
	return &Streaming{shared: options.shared(), maxObject: options.maxObject()}
}

// Config returns a copy of cfg, for the clients of the ListerWatchers. Change the copy, and wrap its
// transport, before the first list or watch: sources then connect with it as it is.
func (s *Streaming) Config(cfg *rest.Config) *rest.Config {
	if cfg == nil {
		return nil
	}
	cfg = rest.CopyConfig(cfg)
	client := sync.OnceValues(func() (*Client, error) { return connect(cfg, s.maxObject, s.shared) })
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &listener{s, client, next} })
	return cfg
}

// FromListerWatcher is the function FromListerWatcher for a ListerWatcher whose client has the
// Config, and passes it the context. Objects have the Go type of expected, a pointer, or are
// unstructured. The server is an API server: its versions can be compared (KEP-5504).
func (s *Streaming) FromListerWatcher(lw toolscache.ListerWatcher, expected runtime.Object) cache.Source[runtime.Object] {
	objects := reflect.TypeOf(expected)
	src := newCallingSource(lw, expected)
	src.info.OrderedResourceVersions = true
	src.nameIn(formOf(expected))
	if err := checkDecodable(objects); err != nil {
		src.leave(err)
		return cache.Source[runtime.Object]{Objects: src}
	}
	if checkFunctions(lw, ownFunctions) == nil {
		return FromListerWatcher[runtime.Object](lw, expected)
	}
	if err := checkFunctions(lw, singleRequests); err != nil {
		src.leave(err)
		return cache.Source[runtime.Object]{Objects: src}
	}
	return cache.Source[runtime.Object]{Objects: &askedSource{funcSource: src, objects: objects, expected: true}}
}

// formOf returns what to put behind the name of a resource for informers whose objects are not
// of its Go type.
func formOf(example runtime.Object) string {
	switch example.(type) {
	case runtime.Unstructured:
		return " (unstructured)"
	case *metav1.PartialObjectMetadata:
		return " (metadata)"
	default:
		return ""
	}
}

// nameIn has the name of an informer, which a listener finds, end with a form.
func (s *funcSource) nameIn(form string) {
	list, open := s.list, s.watch
	named := func(ctx context.Context) context.Context {
		request := decoding.From(ctx)
		if rename := request.Rename; rename != nil {
			request.Rename = func(name string) { rename(name + form) }
		}
		return decoding.With(ctx, request)
	}
	s.list = func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return list(named(ctx), options)
	}
	s.watch = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		return open(named(ctx), options)
	}
}

// listener is the transport of a client with the Config, which answers questions about its requests.
type listener struct {
	streaming *Streaming
	client    func() (*Client, error)
	next      http.RoundTripper
}

// WrappedRoundTripper makes the transport below visible to
// k8s.io/apimachinery/pkg/util/net.
func (l *listener) WrappedRoundTripper() http.RoundTripper { return l.next }

func (l *listener) RoundTrip(req *http.Request) (*http.Response, error) {
	wants := decoding.From(req.Context())
	collection, ok := collectionIn(req.URL.Path)
	if ok && wants.Rename != nil {
		wants.Rename(collection.String())
	}
	if ok && req.Method == http.MethodGet && asked(req.Context(), func(objects reflect.Type) (cache.Objects, error) {
		client, err := l.client()
		if err != nil {
			return nil, err
		}
		return selected(client.Objects(objects, resourceOf(collection), collection.Namespace), req.URL.Query()), nil
	}) {
		return nil, errAsked
	}
	return l.next.RoundTrip(req)
}

func resourceOf(c decoding.Collection) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: c.Group, Version: c.Version, Resource: c.Resource}
}

// selected returns a source with the selectors of a request.
func selected(objects cache.Objects, request url.Values) cache.Objects {
	byLabel, byField := request.Get("labelSelector"), request.Get("fieldSelector")
	if byLabel == "" && byField == "" {
		return objects
	}
	return newTweaked(objects, func(options *metav1.ListOptions) {
		options.LabelSelector, options.FieldSelector = byLabel, byField
	})
}

// streamingOf returns the Streaming whose Config a client was made with, nil if there is none.
func streamingOf(client getter) *Streaming {
	of, ok := client.(*rest.RESTClient)
	if !ok || of.Client == nil {
		return nil
	}
	transport := of.Client.Transport
	for {
		if l, ok := transport.(*listener); ok {
			return l.streaming
		}
		wrapper, ok := transport.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			return nil
		}
		transport = wrapper.WrappedRoundTripper()
	}
}

// askedSource is a source of functions that send one request each. Its first call of a function is a
// question for the request; from then on it sends its own.
type askedSource struct {
	*funcSource
	objects reflect.Type
	// expected reports whether the client ought to have the Config of a Streaming.
	expected bool

	mu sync.Mutex
	// own sends the requests once they are known. over reports that they can't be.
	own  cache.Objects
	over bool
}

func (s *askedSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	var list runtime.Object
	own, err := s.learn(ctx, func(ctx context.Context) (err error) {
		list, err = s.list(ctx, options)
		return err
	})
	switch {
	case own != nil:
		return own.List(ctx, options, each)
	case err != nil:
		return metav1.ListMeta{}, err
	}
	s.say(ctx)
	return s.each(ctx, list, each)
}

func (s *askedSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	var inner watch.Interface
	own, err := s.learn(ctx, func(ctx context.Context) (err error) {
		inner, err = s.watch(ctx, options)
		return err
	})
	switch {
	case own != nil:
		return own.Watch(ctx, options)
	case err != nil:
		return nil, err
	}
	s.say(ctx)
	return s.watcher(ctx, inner)
}

// learn returns the source of the requests that a function sends, nil if that is not known. To learn it,
// the first call of the function is a question; a client that does not answer sends the request.
func (s *askedSource) learn(ctx context.Context, send func(context.Context) error) (cache.Objects, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.own != nil:
		return s.own, nil
	case s.over:
		return nil, send(ctx)
	}
	asking, q := ask(ctx)
	sent := send(asking)
	own, unknown := q.source(s.funcSource, s.objects)
	switch {
	case unknown == nil:
		s.own = own
		return own, nil
	case q.answer == nil && sent != nil: // it may not have come as far as the transport
		return nil, sent
	}
	s.over = true
	if s.expected {
		s.leave(unknown)
	}
	if q.answer != nil {
		return nil, send(ctx)
	}
	return nil, nil
}

// checkedWatcher reports objects that fail a check.
type checkedWatcher struct {
	cache.Watcher
	check func(runtime.Object) error
}

func (w checkedWatcher) Next() (cache.WatchEvent, error) {
	event, err := w.Watcher.Next()
	obj, ok := event.Object.(runtime.Object)
	if err != nil || !ok {
		return event, err
	}
	if err := w.check(obj); err != nil {
		return cache.WatchEvent{}, &failure.ObjectError{Object: nameOf(obj), Err: err}
	}
	return event, nil
}
