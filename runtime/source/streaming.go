package source

import (
	"context"
	"net/http"
	"reflect"
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

// Streaming decodes the responses to ListerWatchers of another library, such as those of
// controller-runtime's cache, as sources of [New] decode theirs: while they arrive, with what is
// equal held once. The library goes on to make the requests, with its selectors, namespaces
// and authentication, and gets all other responses, those with errors among them.
//
//	ListerWatcher ─► client with Config ─► API server
//	                        │
//	   its errors ◄─────────┴──► lists and watches ─► objects of the source
//
// It is safe for concurrent use.
type Streaming struct {
	shared    *decode.Shared
	maxObject int64
}

// NewStreaming returns one whose sources have in common what is equal.
func NewStreaming(options ClientOptions) *Streaming {
	return &Streaming{shared: options.shared(), maxObject: options.maxObject()}
}

// Config returns a copy of cfg, for the client that ListerWatchers use.
func (s *Streaming) Config(cfg *rest.Config) *rest.Config {
	if cfg == nil {
		return nil
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &handover{streaming: s, next: next} })
	return cfg
}

// FromListerWatcher is the function FromListerWatcher for a ListerWatcher whose client has the
// Config, and passes it the context. Each List and Watch must be one request: one that
// puts lists together would lose all but the first, unless it goes on after an error.
// Objects have the Go type of expected, a pointer, or are unstructured.
//
// A response that can't be taken from the client is decoded by it, with a line in the log:
// that of a client with another configuration, or in CBOR. So is metadata alone, in
// which there is little to gain.
func (s *Streaming) FromListerWatcher(lw clientgo.ListerWatcher, expected runtime.Object) cache.Source[runtime.Object] {
	plain := newListerWatcherSource[runtime.Object](lw, expected)
	if _, metadata := expected.(*metav1.PartialObjectMetadata); metadata || isNil(expected) || reflect.TypeOf(expected).Kind() != reflect.Pointer {
		return typedOf[runtime.Object](plain)
	}
	plain.info.OrderedResourceVersions = true
	return typedOf[runtime.Object](&streamedSource{
		funcSource: plain,
		streaming:  s,
		codecs:     newCodecs(reflect.TypeOf(expected), s.shared),
	})
}

// streamedSource is a source that has the responses of its client's requests.
type streamedSource struct {
	*funcSource
	streaming *Streaming
	codecs    codecs
	// several is whether a call has sent several requests, and reported whether it was logged
	// that the client decodes the responses.
	several, reported atomic.Bool
}

func (s *streamedSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	if s.several.Load() {
		return s.funcSource.List(ctx, options, each)
	}
	t := s.begin(ctx)
	defer t.end()
	list, err := s.list(t.context(), options)
	switch r := t.response(); {
	case t.several():
		s.several.Store(true)
		s.report(ctx, "a list is several requests")
		return s.funcSource.List(ctx, options, each)
	case r != nil:
		return r.list(ctx, each)
	case err != nil:
		return metav1.ListMeta{}, err
	}
	s.report(ctx, t.reason())
	return s.each(list, each)
}

func (s *streamedSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[any], error) {
	if s.several.Load() {
		return s.funcSource.Watch(ctx, options)
	}
	t := s.begin(ctx)
	inner, err := s.watch(t.context(), options)
	r := t.response()
	if r == nil && err != nil {
		return nil, err
	}
	if r == nil {
		s.report(ctx, t.reason())
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

func (s *streamedSource) begin(ctx context.Context) *takeover {
	return &takeover{caller: ctx, streaming: s.streaming, codec: s.codecs.of(ctx)}
}

// report logs once that the client decodes responses.
func (s *streamedSource) report(ctx context.Context, reason string) {
	if !s.reported.Swap(true) {
		klog.FromContext(ctx).Info("Lists and watches are decoded by the client of the ListerWatcher", "reason", reason)
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
