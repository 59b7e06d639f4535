package dynamicinformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

type (
	// DynamicSharedInformerFactory is client-go's interface, which Factory implements.
	DynamicSharedInformerFactory = dynamicinformer.DynamicSharedInformerFactory
	// TweakListOptionsFunc changes the options of each list and watch.
	TweakListOptionsFunc = dynamicinformer.TweakListOptionsFunc
	// Options configure a Factory. The zero value works.
	Options = factory.Options
)

// Factory shares one informer per resource. It is safe for concurrent use.
type Factory struct{ *factory.ResourceFactory }

// New returns a factory without informers.
func New(client dynamic.Interface, options Options) *Factory {
	return &Factory{factory.NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		return newSource(client, resource, namespace)
	}, options)}
}

// NewForClient is New without a client of client-go: lists and watches are decoded as they arrive, object
// by object, and equal parts of objects are held once.
func NewForClient(client *source.Client, options Options) *Factory {
	return &Factory{factory.NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		return source.New[*unstructured.Unstructured](client, resource, namespace).Objects
	}, options)}
}

// NewDynamicSharedInformerFactory returns a Factory for all namespaces.
func NewDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration) DynamicSharedInformerFactory {
	return NewFilteredDynamicSharedInformerFactory(client, defaultResync, metav1.NamespaceAll, nil)
}

// NewFilteredDynamicSharedInformerFactory returns a Factory for one namespace, or for all for "".
// tweakListOptions narrows what its informers list and watch, if it is not nil.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) DynamicSharedInformerFactory {
	return New(client, Options{
		DefaultResync:    defaultResync,
		Namespace:        namespace,
		TweakListOptions: tweakListOptions,
		ListWatch:        core.ListWatch{AbsentGrace: -1}, // as client-go's
	})
}

// ForResource returns the informer of a resource and a lister over it. It does not start the informer.
func (f *Factory) ForResource(gvr schema.GroupVersionResource) informers.GenericInformer {
	return factory.NewGenericInformer(f.InformerFor(gvr), gvr.GroupResource())
}

// NewFilteredDynamicInformer returns an informer without a factory, of one namespace, or of all for "".
func NewFilteredDynamicInformer(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers cache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	resource := factory.Resource{GroupVersionResource: gvr}
	informer := factory.NewInformer(resource, newSource(client, gvr, namespace), factory.InformerOptions{
		ResyncPeriod:     resyncPeriod,
		Indexers:         indexers,
		TweakListOptions: tweakListOptions,
		ListWatch:        core.ListWatch{AbsentGrace: -1}, // as client-go's
	})
	return factory.NewGenericInformer(informer, gvr.GroupResource())
}

// newSource lists and watches a resource through a client. It asks the client for the resource's client at
// each request: as with client-go, informers can be made with a nil client.
func newSource(client dynamic.Interface, resource schema.GroupVersionResource, namespace string) core.Objects {
	return source.ClientsetObjects[*unstructured.Unstructured](client, resource, namespace, func() source.ResourceClient[*unstructured.UnstructuredList] {
		return client.Resource(resource).Namespace(namespace)
	})
}
