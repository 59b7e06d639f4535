package factory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// ResourceFactory shares informers, one for each resource. It is for clients
// that have one Go type for all resources, as the dynamic and the metadata
// client have.
type ResourceFactory struct {
	registry[schema.GroupVersionResource]
	newInformer NewResourceInformerFunc
}

// NewResourceInformerFunc creates the informer of a resource in one namespace,
// or in all if it is empty.
type NewResourceInformerFunc = func(resource schema.GroupVersionResource, namespace string, options InformerOptions) cache.SharedIndexInformer

// NewForResources returns a factory without informers, which creates them with
// newInformer, indexed by namespace.
func NewForResources(newInformer NewResourceInformerFunc, options Options[schema.GroupVersionResource]) *ResourceFactory {
	f := &ResourceFactory{newInformer: newInformer}
	f.options = options
	return f
}

// InformerFor returns the informer of a resource, which it creates the first
// time, and does not start.
func (f *ResourceFactory) InformerFor(resource schema.GroupVersionResource) cache.SharedIndexInformer {
	return f.informerFor(resource, func() cache.SharedIndexInformer {
		return f.newInformer(resource, f.options.Namespace, InformerOptions{
			ResyncPeriod:     f.options.resync(resource),
			Indexers:         cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
			InformerName:     f.options.InformerName,
			TweakListOptions: f.options.TweakListOptions,
		})
	})
}

// Release stops the informer of a resource and forgets it, as Factory.Release
// does.
func (f *ResourceFactory) Release(resource schema.GroupVersionResource) <-chan struct{} {
	return f.release(resource)
}

// WaitForCacheSyncWithContext waits until every informer that was started has
// its first list in its store, or has ended, or ctx ends. It returns which
// have.
func (f *ResourceFactory) WaitForCacheSyncWithContext(ctx context.Context) map[schema.GroupVersionResource]bool {
	return f.waitForCacheSync(ctx)
}
