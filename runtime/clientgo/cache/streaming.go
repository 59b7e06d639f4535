package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Streaming returns a copy of a configuration, and informers whose ListerWatchers use a
// client with that copy. They decode what the server sends while it arrives, and hold once
// what is equal, see [source.Streaming]. For a manager of controller-runtime:
//
//	config, informers := cache.Streaming(ctrl.GetConfigOrDie())
//	options.Cache.NewInformer = informers.New
//	mgr, err := ctrl.NewManager(config, options)
//
// A ListerWatcher with functions of your own, which may change what they list, goes on to decode
// by itself, as [source.Streaming] says. Objects are read-only: they may have parts in common,
// unless the options, one struct at most, disable that.
func Streaming(cfg *rest.Config, options ...source.ClientOptions) (*rest.Config, *Informers) {
	options = append(options, source.ClientOptions{})
	streaming := source.NewStreaming(options[0])
	return streaming.Config(cfg), &Informers{streaming: streaming}
}

// observed is the ListerWatcher of an informer that is named by the resource in its first request: a
// ListerWatcher does not know its resource, and its typed objects have no kind.
type observed struct {
	ListerWatcher
	// form tells the informer from other informers of the resource.
	form string
}

func (o observed) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return ToListerWatcherWithContext(o.ListerWatcher).ListWithContext(o.context(ctx), options)
}

func (o observed) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return ToListerWatcherWithContext(o.ListerWatcher).WatchWithContext(o.context(ctx), options)
}

func (o observed) context(ctx context.Context) context.Context {
	request := decoding.From(ctx)
	if rename := request.Rename; rename != nil { // as of the requests of Run
		request.Requested = func(c decoding.Collection) { rename(nameOf(c) + o.form) }
	}
	return decoding.With(ctx, request)
}

// IsWatchListSemanticsUnSupported is the ListerWatcher's.
func (o observed) IsWatchListSemanticsUnSupported() bool {
	return source.FromListerWatcher[runtime.Object](o.ListerWatcher, nil).Describe().NoWatchList
}
