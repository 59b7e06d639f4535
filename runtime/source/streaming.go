package source

import (
	"context"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

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
// Each list and watch should be one request. Of a function that sends several, the client decodes
// the responses. That shows when it goes on after the first, which has no objects for it; if the
// Go type has another name than the kind, the first is an error for it, and a function that
// gives up then has lost the others.
//
// It is safe for concurrent use.
type Streaming struct {
	shared    *decode.Shared
	maxObject int64
	// codecs has those of each type of objects, by reflect.Type.
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
// that of a client with another configuration, or in CBOR. So is metadata alone, in
// which there is little to gain.
func (s *Streaming) FromListerWatcher(lw clientgo.ListerWatcher, expected runtime.Object) cache.Source[runtime.Object] {
	src := newListerWatcherSource[runtime.Object](lw, expected)
	src.info.OrderedResourceVersions = true
	return typedOf[runtime.Object](streamed(src, s, reflect.TypeOf(expected)))
}

// codec returns that of a type for the informer whose request has ctx.
func (s *Streaming) codec(ctx context.Context, pointer reflect.Type) *codec {
	of, ok := s.codecs.Load(pointer)
	if !ok {
		of, _ = s.codecs.LoadOrStore(pointer, newCodecs(pointer, s.shared))
	}
	return of.(codecs).of(ctx)
}

// streamed returns a source that has the responses of the client of another one, which decodes
// objects of a type: with a certain Streaming, or that of the client if it has one.
func streamed(src *funcSource, streaming *Streaming, objects reflect.Type) cache.Source[any] {
	if objects == nil || objects.Kind() != reflect.Pointer || objects == reflect.TypeFor[*metav1.PartialObjectMetadata]() {
		return src
	}
	return &streamedSource{funcSource: src, streaming: streaming, objects: objects}
}

type streamedSource struct {
	*funcSource
	streaming *Streaming
	objects   reflect.Type
	// several is whether a call has sent several requests, and reported whether it was logged
	// that the client decodes the responses.
	several, reported atomic.Bool
}

func (s *streamedSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	if s.several.Load() {
		return s.funcSource.List(ctx, options, each)
	}
	done := awaitWholeList(ctx)
	defer done()
	t := &takeover{caller: ctx, streaming: s.streaming, objects: s.objects}
	defer t.end()
	list, err := s.list(t.context(), options)
	switch r := t.response(); {
	case t.several():
		s.several.Store(true)
		s.report(ctx, "a list is several requests")
		done()
		return s.funcSource.List(ctx, options, each)
	case r != nil:
		done() // it is read item by item
		return r.list(ctx, each)
	case err != nil:
		return metav1.ListMeta{}, err
	}
	s.expected(ctx, t)
	return s.each(list, each)
}

func (s *streamedSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[any], error) {
	if s.several.Load() {
		return s.funcSource.Watch(ctx, options)
	}
	t := &takeover{caller: ctx, streaming: s.streaming, objects: s.objects, watch: true}
	inner, err := s.watch(t.context(), options)
	r := t.response()
	if r == nil && err != nil {
		return nil, err
	}
	if r == nil {
		s.expected(ctx, t)
		return s.watcher(ctx, inner)
	}
	if err == nil && inner != nil {
		inner.Stop() // it has nothing to deliver
	}
	if t.several() {
		t.end()
		s.several.Store(true)
		s.report(ctx, "a watch is several requests")
		return s.funcSource.Watch(ctx, options)
	}
	w := r.watcher(t.request.ctx, t.request.cancel)
	if s.check == nil {
		return w, nil
	}
	return checkedWatcher{w, s.check}, nil
}

// expected logs that no response was taken, if one should have been.
func (s *streamedSource) expected(ctx context.Context, t *takeover) {
	if reason := t.reason(); reason != nil {
		s.report(ctx, reason.Error())
	}
}

// report logs once that the client decodes responses.
func (s *streamedSource) report(ctx context.Context, reason string) {
	if !s.reported.Swap(true) {
		klog.FromContext(ctx).Info("Lists and watches are decoded by the client that requests them", "reason", reason)
	}
}

// checkedWatcher reports objects that fail a check.
type checkedWatcher struct {
	cache.Watcher[any]
	check func(runtime.Object) error
}

func (w checkedWatcher) Next() (cache.WatchEvent[any], error) {
	event, err := w.Watcher.Next()
	obj, ok := event.Object.(runtime.Object)
	if err != nil || !ok {
		return event, err
	}
	if err := w.check(obj); err != nil {
		return cache.WatchEvent[any]{}, &failure.ObjectError{Object: nameOf(obj), Err: err}
	}
	return event, nil
}
