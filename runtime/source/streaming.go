package source

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// Streaming decodes the responses to lists and watches of other clients, such as those of
// clientsets and of controller-runtime's cache, as sources of [New] decode theirs: while they
// arrive, with what is equal held once. The client goes on to make the requests, with its
// selectors, namespaces and authentication, and gets all other responses, those with errors
// among them.
//
//	list or watch ─► client with Config ─► API server
//	                        │
//	   its errors ◄─────────┴──► lists and watches ─► objects of the source
//
// [FromClientset] and so generated factories do this for each clientset that was made with
// the Config:
//
//	streaming := source.NewStreaming(source.ClientOptions{})
//	clientset, err := versioned.NewForConfig(streaming.Config(config))
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//
// For what a ListerWatcher lists, see its method FromListerWatcher.
//
// Responses are taken from clients only if nothing can change them on their way to the source:
// if the methods of a client are called without a function in between, or with one of
// client-go or controller-runtime. Any other may filter objects, change them, or merge several
// lists. So the client decodes the responses of its requests, with a line in the log that
// names the function. The same goes for a transport that is wrapped around that of the
// Config; one that is in the configuration before it is asked first.
//
// It is safe for concurrent use.
type Streaming struct {
	shared    *decode.Shared
	maxObject int64
	// codecs has that of each resource, by codecKey.
	codecs sync.Map
}

// NewStreaming returns one whose sources have in common what is equal.
func NewStreaming(options ClientOptions) *Streaming {
	return &Streaming{shared: options.shared(), maxObject: options.maxObject()}
}

// Config returns a copy of cfg, for the clients.
func (s *Streaming) Config(cfg *rest.Config) *rest.Config {
	if cfg == nil {
		return nil
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &handover{streaming: s, next: next} })
	return cfg
}

// FromListerWatcher is the function FromListerWatcher for a ListerWatcher whose client has the
// Config, and passes it the context. Objects have the Go type of expected, a pointer, or are
// unstructured. The server is an API server: its versions can be compared (KEP-5504).
//
// A response that can't be taken from the client is decoded by it, with a line in the log:
// that of a client with another configuration, in CBOR, or of a list function of your own. Use
// NewListWatchFromClient of client-go, or a client's methods with [FromClientset]. Metadata
// alone, in which there is little to gain, is the client's too.
func (s *Streaming) FromListerWatcher(lw toolscache.ListerWatcher, expected runtime.Object) cache.Source[runtime.Object] {
	src := newListerWatcherSource(lw, expected)
	src.info.OrderedResourceVersions = true
	return cache.Source[runtime.Object]{Objects: streamed(src, s, reflect.TypeOf(expected))}
}

// codecKey tells codecs apart: several resources may have one Go type, and each its kind.
type codecKey struct {
	pointer  reflect.Type
	resource schema.GroupVersionResource
}

// codec returns the codec of a resource for objects of a type.
func (s *Streaming) codec(pointer reflect.Type, resource schema.GroupVersionResource) *codec {
	key := codecKey{pointer, resource}
	of, ok := s.codecs.Load(key)
	if !ok {
		of, _ = s.codecs.LoadOrStore(key, newCodec(pointer, s.shared))
	}
	return of.(*codec)
}

// streamed returns a source that has the responses of the client of another one, which decodes
// objects of a type: with a certain Streaming, or that of the client if it has one.
func streamed(src *funcSource, streaming *Streaming, objects reflect.Type) cache.Objects {
	if objects == nil || objects.Kind() != reflect.Pointer || objects == reflect.TypeFor[*metav1.PartialObjectMetadata]() {
		return src
	}
	return &streamedSource{funcSource: src, streaming: streaming, objects: objects}
}

type streamedSource struct {
	*funcSource
	streaming *Streaming
	objects   reflect.Type
	// left says that the client decodes all responses.
	left atomic.Bool
	// lists and watches are why the client decodes the latest; nil if it does not.
	lists, watches atomic.Pointer[string]
}

// Describe says besides why responses are left to the client.
func (s *streamedSource) Describe() cache.SourceInfo {
	info := s.funcSource.Describe()
	info.DecodedByClient = func() string {
		return ptr.Deref(cmp.Or(s.lists.Load(), s.watches.Load()), "")
	}
	return info
}

func (s *streamedSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	if s.left.Load() {
		return s.funcSource.List(ctx, options, each)
	}
	ctx, cancel := within(ctx, options)
	defer cancel()
	t := &takeover{caller: ctx, streaming: s.streaming, objects: s.objects}
	defer t.end()
	list, err := s.list(t.context(), options)
	r := t.response()
	switch {
	case r != nil && err == nil:
		taken(ctx, "Lists", &s.lists)
		return r.list(ctx, each)
	case r != nil && ctx.Err() == nil:
		t.end()
		s.leave(ctx, err)
		return s.funcSource.List(ctx, options, each)
	case err != nil:
		return metav1.ListMeta{}, err
	}
	s.expected(ctx, t, &s.lists)
	return s.each(ctx, list, each)
}

func (s *streamedSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	if s.left.Load() {
		return s.funcSource.Watch(ctx, options)
	}
	t := &takeover{caller: ctx, streaming: s.streaming, objects: s.objects, watch: true}
	inner, err := s.watch(t.context(), options)
	r := t.response()
	switch {
	case r != nil && err == nil:
		inner.Stop() // it has nothing to deliver
		taken(ctx, "Watches", &s.watches)
		return s.checked(r.watcher(t.request.ctx, t.request.cancel)), nil
	case r != nil:
		t.end()
		if ctx.Err() != nil {
			return nil, err
		}
		s.leave(ctx, err)
		return s.funcSource.Watch(ctx, options)
	case err != nil:
		return nil, err
	}
	s.expected(ctx, t, &s.watches)
	return s.watcher(ctx, inner)
}

// checked returns a watcher that reports objects that fail the check of the source.
func (s *streamedSource) checked(w cache.Watcher) cache.Watcher {
	if s.check == nil {
		return w
	}
	return checkedWatcher{w, s.check}
}

// leave leaves all responses to the client, which returned an error of one that was taken from it.
func (s *streamedSource) leave(ctx context.Context, err error) {
	s.left.Store(true)
	s.report(ctx, "the client does not decode an empty response: "+err.Error(), &s.lists, &s.watches)
}

// expected notes that no response was taken, if one should have been.
func (s *streamedSource) expected(ctx context.Context, t *takeover, of *atomic.Pointer[string]) {
	if reason := t.reason(); reason != nil {
		s.report(ctx, reason.Error(), of)
	}
}

// report notes why the client decodes lists or watches from now on, and logs the first reason.
func (s *streamedSource) report(ctx context.Context, reason string, of ...*atomic.Pointer[string]) {
	before := s.lists.Load() != nil || s.watches.Load() != nil
	for _, noted := range of {
		noted.Store(&reason)
	}
	if !before {
		klog.FromContext(ctx).Info("Lists and watches are decoded by the client that requests them", "reason", reason)
	}
}

// taken notes that the client does not decode lists, or watches, any more.
func taken(ctx context.Context, what string, noted *atomic.Pointer[string]) {
	if noted.Load() != nil && noted.Swap(nil) != nil {
		klog.FromContext(ctx).Info(what + " are not decoded by the client any more")
	}
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
