package field_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var pods = v1.SchemeGroupVersion.WithResource("pods")

// implementation makes an informer of the pods that a configuration leads to, as
// its users do.
type implementation struct {
	name string
	new  func(t *testing.T, config *rest.Config, r row) cache.SharedIndexInformer
}

var implementations = []implementation{typed, layer, clientGo}

var (
	// typed is runtime/cache over a typed source, behind an adapter.
	typed = implementation{"runtime/cache", func(t *testing.T, config *rest.Config, r row) cache.SharedIndexInformer {
		client, err := source.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		informer := core.New(source.New[*v1.Pod](client, pods, metav1.NamespaceAll), core.Options[*v1.Pod]{
			Backoff:          r.backoff,
			DisableWatchList: r.listing,
		})
		return clientgocache.Typed(informer, clientgocache.AdapterOptions{Object: &v1.Pod{}})
	}}
	// layer is runtime/clientgo/cache, and clientGo client-go, over a client of
	// client-go.
	layer = implementation{"runtime/clientgo/cache", func(t *testing.T, config *rest.Config, r row) cache.SharedIndexInformer {
		return clientgocache.NewSharedIndexInformer(listWatch(t, config, r), &v1.Pod{}, 0, cache.Indexers{})
	}}
	clientGo = implementation{"client-go", func(t *testing.T, config *rest.Config, r row) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(listWatch(t, config, r), &v1.Pod{}, 0, cache.Indexers{})
	}}
)

func listWatch(t *testing.T, config *rest.Config, r row) cache.ListerWatcher {
	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &v1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return listerWatcher{cache.NewListWatchFromClient(client, pods.Resource, metav1.NamespaceAll, fields.Everything()), r.listing}
}

// listerWatcher says whether there is a watch-list.
type listerWatcher struct {
	*cache.ListWatch
	listing bool
}

func (l listerWatcher) IsWatchListSemanticsUnSupported() bool { return l.listing }
