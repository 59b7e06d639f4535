package factory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// ResourceFactory shares informers, one for each resource. It is for clients
// that have one Go type for all resources, as the dynamic and the metadata
// client have.
type ResourceFactory struct {
	*registry[schema.GroupVersionResource]
	newInformer func(schema.GroupVersionResource, InformerOptions) cache.SharedIndexInformer
}

// ResourceOptions configure a ResourceFactory. The zero value works.
type ResourceOptions = Options[schema.GroupVersionResource]

// NewForResources returns a factory without informers. newSource creates the source
// of each in the namespace of the options, which is empty for all.
func NewForResources[T runtime.Object](
	newSource func(resource schema.GroupVersionResource, namespace string) source.Source[T], options ResourceOptions,
) *ResourceFactory {
	f := &ResourceFactory{registry: &registry[schema.GroupVersionResource]{}, newInformer: func(resource schema.GroupVersionResource, informerOptions InformerOptions) cache.SharedIndexInformer {
		return NewInformer(Resource{GroupVersionResource: resource}, newSource(resource, options.Namespace), informerOptions)
	}}
	f.options = options
	return f
}

// InformerFor returns the informer of a resource, which it creates the first
// time, indexed by namespace, and does not start.
func (f *ResourceFactory) InformerFor(resource schema.GroupVersionResource) cache.SharedIndexInformer {
	key := informerKey[schema.GroupVersionResource]{of: resource}
	return f.informerFor(key, func() cache.SharedIndexInformer {
		return f.newInformer(resource, InformerOptions{
			ResyncPeriod:     f.options.resync(key),
			Indexers:         cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
			InformerName:     f.options.InformerName,
			TweakListOptions: f.options.TweakListOptions,
			ListWatch:        f.listWatchOptions(),
			Shard:            f.options.Shard,
		})
	})
}

// Release stops the informer of a resource and removes it, as Factory.Release
// does.
func (f *ResourceFactory) Release(resource schema.GroupVersionResource) <-chan struct{} {
	return f.release(informerKey[schema.GroupVersionResource]{of: resource})
}

// WaitForCacheSyncWithContext waits until every informer that was started has
// its first list in its store, or has ended, or ctx ends. It returns which
// have.
func (f *ResourceFactory) WaitForCacheSyncWithContext(ctx context.Context) map[schema.GroupVersionResource]bool {
	return f.waitForCacheSync(ctx)
}
