// Package podinformers makes informers of pods for tests that compare
// implementations over HTTP, each made as its users make it:
//
//	Typed               runtime/cache over a typed source, behind an adapter
//	CompatibilityLayer  runtime/clientgo/cache            ┐
//	Streaming           the same, but decodes by itself   ├ over a client of client-go
//	ClientGo            client-go                         ┘
package podinformers

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Pods are the objects of the informers.
var Pods = v1.SchemeGroupVersion.WithResource("pods")

// Options configure an informer. The zero value works.
type Options struct {
	// Listing is true for an informer without watch-lists.
	Listing bool
	// Shard restricts an informer of Typed to a shard. Nil means all pods.
	Shard *shard.Shard
	// Backoff is the backoff of an informer of Typed. Nil means the default of runtime/cache.
	Backoff *wait.Backoff
}

// Implementation makes an informer of the pods in all namespaces of the server that a
// configuration leads to.
type Implementation struct {
	Name string
	New  func(*rest.Config, Options) (cache.SharedIndexInformer, error)
}

// The implementations.
var (
	Typed = Implementation{"runtime/cache", func(config *rest.Config, options Options) (cache.SharedIndexInformer, error) {
		client, err := source.NewClient(config)
		if err != nil {
			return nil, err
		}
		informer := core.New(shard.Source(source.New[*v1.Pod](client, Pods, metav1.NamespaceAll), options.Shard), core.Options[*v1.Pod]{
			ListWatch:        core.ListWatch{Backoff: options.Backoff},
			DisableWatchList: options.Listing,
		})
		return clientgocache.Typed(informer, clientgocache.AdapterOptions{Object: &v1.Pod{}}), nil
	}}
	CompatibilityLayer = Implementation{"runtime/clientgo/cache", func(config *rest.Config, options Options) (cache.SharedIndexInformer, error) {
		lw, err := listWatch(config, options)
		if err != nil {
			return nil, err
		}
		return clientgocache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, cache.Indexers{}), nil
	}}
	Streaming = Implementation{"runtime/clientgo/cache, streaming", func(config *rest.Config, options Options) (cache.SharedIndexInformer, error) {
		config, informers := clientgocache.Streaming(config)
		lw, err := listWatch(config, options)
		if err != nil {
			return nil, err
		}
		return informers.New(lw, &v1.Pod{}, 0, cache.Indexers{}), nil
	}}
	ClientGo = Implementation{"client-go", func(config *rest.Config, options Options) (cache.SharedIndexInformer, error) {
		lw, err := listWatch(config, options)
		if err != nil {
			return nil, err
		}
		return cache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, cache.Indexers{}), nil
	}}
)

func listWatch(config *rest.Config, options Options) (cache.ListerWatcher, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &v1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return listerWatcher{cache.NewListWatchFromClient(client, Pods.Resource, metav1.NamespaceAll, fields.Everything()), options.Listing}, nil
}

// listerWatcher says whether there is a watch-list.
type listerWatcher struct {
	*cache.ListWatch
	listing bool
}

func (l listerWatcher) IsWatchListSemanticsUnSupported() bool { return l.listing }
