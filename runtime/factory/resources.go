package factory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// ResourceFactory shares informers, one for each resource. It is for clients that have one Go type for all
// resources, such as the dynamic client and the metadata client.
type ResourceFactory struct {
	*registry
	newObjects func(resource schema.GroupVersionResource, namespace string) core.Objects
}

// NewForResources returns a factory without informers. newObjects creates the source of a resource in the
// namespace of the options; "" means all namespaces.
func NewForResources(newObjects func(resource schema.GroupVersionResource, namespace string) core.Objects, options Options) *ResourceFactory {
	return &ResourceFactory{registry: &registry{options: options}, newObjects: newObjects}
}

// InformerFor returns the informer of a resource. The first call creates it, indexed by namespace, and does
// not start it.
func (f *ResourceFactory) InformerFor(resource schema.GroupVersionResource) cache.SharedIndexInformer {
	key := informerKey{of: resource}
	return f.informerFor(key, func() cache.SharedIndexInformer {
		objects := f.newObjects(resource, f.options.Namespace)
		return NewInformer(Resource{GroupVersionResource: resource}, objects, InformerOptions{
			ResyncPeriod:     f.options.resync(key),
			Indexers:         cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
			InformerName:     f.options.InformerName,
			TweakListOptions: f.options.TweakListOptions,
			ListWatch:        f.listWatch(nil),
			WrapSource:       f.options.WrapSource,
		})
	})
}

// Release stops the informer of a resource and removes it, as Factory.Release
// does.
func (f *ResourceFactory) Release(resource schema.GroupVersionResource) <-chan struct{} {
	return f.release(informerKey{of: resource})
}

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel in place of a context.
func (f *ResourceFactory) WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stopCh))
}

// WaitForCacheSyncWithContext waits until every informer that was started has its first list in its store
// or has ended, or until ctx ends. It returns which informers are in sync.
func (f *ResourceFactory) WaitForCacheSyncWithContext(ctx context.Context) map[schema.GroupVersionResource]bool {
	return waitForCacheSync[schema.GroupVersionResource](ctx, f.registry)
}
