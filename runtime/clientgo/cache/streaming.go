package cache

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// Streaming returns a copy of a configuration, and informers whose ListerWatchers use a
// client with that copy. They decode what the server sends while it arrives, and hold once
// what is equal, see [source.Streaming]. For a manager of controller-runtime:
//
//	config, informers := cache.Streaming(ctrl.GetConfigOrDie())
//	mgr, err := ctrl.NewManager(config, ctrl.Options{Cache: ctrlcache.Options{NewInformer: informers.New}})
//
// A ListerWatcher with functions of your own, which may change what they list, goes on to decode
// by itself, as [source.Streaming] says. Objects are read-only: they may have parts in common.
func Streaming(cfg *rest.Config) (*rest.Config, *Informers) {
	streaming := source.NewStreaming(source.ClientOptions{})
	cfg = streaming.Config(cfg)
	if cfg != nil {
		cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return observer{next} })
	}
	return cfg, &Informers{streaming: streaming}
}

// observed is the ListerWatcher of an informer, whose requests it marks for the observer.
type observed struct {
	ListerWatcher
	of *streamed
}

type observedKey struct{}

func (o observed) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return ToListerWatcherWithContext(o.ListerWatcher).ListWithContext(context.WithValue(ctx, observedKey{}, o.of), options)
}

func (o observed) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return ToListerWatcherWithContext(o.ListerWatcher).WatchWithContext(context.WithValue(ctx, observedKey{}, o.of), options)
}

// IsWatchListSemanticsUnSupported is the ListerWatcher's.
func (o observed) IsWatchListSemanticsUnSupported() bool {
	return source.FromListerWatcher[runtime.Object](o.ListerWatcher, nil).Describe().NoWatchList
}

// observer is a transport that tells informers which resource they list: a ListerWatcher does
// not say it, and its typed objects have no kind.
type observer struct{ next http.RoundTripper }

// WrappedRoundTripper makes the transport below visible to
// k8s.io/apimachinery/pkg/util/net.
func (o observer) WrappedRoundTripper() http.RoundTripper { return o.next }

func (o observer) RoundTrip(req *http.Request) (*http.Response, error) {
	if of, ok := req.Context().Value(observedKey{}).(*streamed); ok {
		of.requests(req.URL.Path)
	}
	return o.next.RoundTrip(req)
}
