package metadatainformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

type (
	// SharedInformerFactory is client-go's interface, which Factory implements.
	SharedInformerFactory = metadatainformer.SharedInformerFactory
	// TweakListOptionsFunc changes the options of each list and watch.
	TweakListOptionsFunc = metadatainformer.TweakListOptionsFunc
	// Options configure a Factory. The zero value works.
	Options = factory.Options
	// SharedInformerOption changes the options of a Factory.
	SharedInformerOption func(*Options)
)

// Factory shares one informer per resource. It is safe for concurrent use.
type Factory struct{ *factory.ResourceFactory }

// New returns a factory without informers.
func New(client metadata.Interface, options Options) *Factory {
	return &Factory{factory.NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		return newSource(client, resource, namespace)
	}, options)}
}

// NewForClient is New without a client of client-go: lists and watches are decoded as they arrive, object
// by object, and equal parts of objects are held once.
func NewForClient(client *source.Client, options Options) *Factory {
	return &Factory{factory.NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		return source.New[*metav1.PartialObjectMetadata](client, resource, namespace).Objects
	}, options)}
}

// WithTransform sets the transform of all informers of a factory.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return func(o *Options) { o.Transform = transform }
}

// NewSharedInformerFactory returns a Factory for all namespaces.
func NewSharedInformerFactory(client metadata.Interface, defaultResync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, defaultResync)
}

// NewFilteredSharedInformerFactory returns a Factory for one namespace, or for all for "". tweakListOptions
// narrows what its informers list and watch, if it is not nil.
func NewFilteredSharedInformerFactory(client metadata.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) SharedInformerFactory {
	return New(client, Options{
		DefaultResync:    defaultResync,
		Namespace:        namespace,
		TweakListOptions: tweakListOptions,
		ListWatch:        core.ListWatch{AbsentGrace: -1}, // as client-go's
	})
}

// NewSharedInformerFactoryWithOptions returns a Factory with options.
func NewSharedInformerFactoryWithOptions(client metadata.Interface, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	all := Options{
		DefaultResync: defaultResync,
		ListWatch:     core.ListWatch{AbsentGrace: -1}, // as client-go's
	}
	for _, option := range options {
		option(&all)
	}
	return New(client, all)
}

// ForResource returns the informer of a resource and a lister over it. It does not start the informer.
func (f *Factory) ForResource(gvr schema.GroupVersionResource) informers.GenericInformer {
	return factory.NewGenericInformer(f.InformerFor(gvr), gvr.GroupResource())
}

// NewFilteredMetadataInformer returns an informer without a factory, of one namespace, or of all for "".
func NewFilteredMetadataInformer(client metadata.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers cache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	resource := factory.Resource{GroupVersionResource: gvr}
	informer := factory.NewInformer(resource, newSource(client, gvr, namespace), factory.InformerOptions{
		ResyncPeriod:     resyncPeriod,
		Indexers:         indexers,
		TweakListOptions: tweakListOptions,
		ListWatch:        core.ListWatch{AbsentGrace: -1}, // as client-go's
	})
	return factory.NewGenericInformer(informer, gvr.GroupResource())
}

// newSource lists and watches the metadata of a resource through a client. It asks the client for the
// resource's client at each request: as with client-go, informers can be made with a nil client.
func newSource(client metadata.Interface, resource schema.GroupVersionResource, namespace string) core.Objects {
	return source.ClientsetObjects[*metav1.PartialObjectMetadata](client, resource, namespace, func() source.ResourceClient[*metav1.PartialObjectMetadataList] {
		return client.Resource(resource).Namespace(namespace)
	})
}
