package cache

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// DefaultWatchErrorHandler logs an error of a list or watch at the level of its
// class.
func DefaultWatchErrorHandler(ctx context.Context, r *Reflector, err error) {
	cache.DefaultWatchErrorHandler(ctx, r, err)
}

// DeletionHandlingMetaNamespaceKeyFunc returns the key of an object or of a
// DeletedFinalStateUnknown.
func DeletionHandlingMetaNamespaceKeyFunc(obj any) (string, error) {
	return cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
}

// DeletionHandlingObjectToName returns the name of an object or of a
// DeletedFinalStateUnknown.
func DeletionHandlingObjectToName(obj any) (ObjectName, error) {
	return cache.DeletionHandlingObjectToName(obj)
}

// IndexFuncToKeyFuncAdapter makes a KeyFunc of an index function whose values are unique.
// It fails for an object without exactly one value.
func IndexFuncToKeyFuncAdapter(indexFunc IndexFunc) KeyFunc {
	return cache.IndexFuncToKeyFuncAdapter(indexFunc)
}

// ListAll calls appendFn with every object of the store that matches.
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	return cache.ListAll(store, selector, appendFn)
}

// ListAllByNamespace calls appendFn with every object of one namespace that
// matches; an empty namespace is all of them.
func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	return cache.ListAllByNamespace(indexer, namespace, selector, appendFn)
}

// MetaNamespaceIndexFunc indexes objects by their namespace.
func MetaNamespaceIndexFunc(obj any) ([]string, error) { return cache.MetaNamespaceIndexFunc(obj) }

// MetaNamespaceKeyFunc returns "namespace/name", or "name" for an object
// without a namespace.
func MetaNamespaceKeyFunc(obj any) (string, error) { return cache.MetaNamespaceKeyFunc(obj) }

// MetaObjectToName returns the object's name.
func MetaObjectToName(obj metav1.Object) ObjectName { return cache.MetaObjectToName(obj) }

// NamespacedNameAsObjectName converts a NamespacedName.
func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return cache.NamespacedNameAsObjectName(nn)
}

// NewCacheMutationDetector returns a detector of mutations of the objects that are added
// to it. It does nothing unless KUBE_CACHE_MUTATION_DETECTOR was true when the process
// started.
func NewCacheMutationDetector(name string) MutationDetector {
	return cache.NewCacheMutationDetector(name)
}

// NewFilteredListWatchFromClient lists and watches a resource with a REST
// client, with options changed by a function.
func NewFilteredListWatchFromClient(c Getter, resource, namespace string, optionsModifier func(options *metav1.ListOptions)) *ListWatch {
	return cache.NewFilteredListWatchFromClient(c, resource, namespace, optionsModifier)
}

// NewGenericLister returns a lister of runtime.Objects over an indexer.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return cache.NewGenericLister(indexer, resource)
}

// NewHeap returns an empty priority queue.
func NewHeap(keyFn KeyFunc, lessFn LessFunc) *Heap { return cache.NewHeap(keyFn, lessFn) }

// NewIntegerResourceVersionMutationCache returns a view of a store that has the objects
// that its user has written already before they arrive in the store.
func NewIntegerResourceVersionMutationCache(logger klog.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return cache.NewIntegerResourceVersionMutationCache(logger, backingCache, indexer, ttl, includeAdds)
}

// NewListWatchFromClient lists and watches a resource with a REST client.
func NewListWatchFromClient(c Getter, resource, namespace string, fieldSelector fields.Selector) *ListWatch {
	return cache.NewListWatchFromClient(c, resource, namespace, fieldSelector)
}

// NewObjectName returns the name of its parts.
func NewObjectName(namespace, name string) ObjectName { return cache.NewObjectName(namespace, name) }

// ObjectToName returns the name of an object that has metadata.
func ObjectToName(obj any) (ObjectName, error) { return cache.ObjectToName(obj) }

// ParseObjectName parses "namespace/name" or "name".
func ParseObjectName(str string) (ObjectName, error) { return cache.ParseObjectName(str) }

// SplitMetaNamespaceKey splits what MetaNamespaceKeyFunc has joined.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	return cache.SplitMetaNamespaceKey(key)
}

// ToListerWatcherWithContext returns lw, or a wrapper that takes a context.
func ToListerWatcherWithContext(lw ListerWatcher) ListerWatcherWithContext {
	return cache.ToListerWatcherWithContext(lw)
}

// ToListerWithContext returns l, or a wrapper that takes a context.
func ToListerWithContext(l Lister) ListerWithContext { return cache.ToListerWithContext(l) }

// ToWatcherWithContext returns w, or a wrapper that takes a context.
func ToWatcherWithContext(w Watcher) WatcherWithContext { return cache.ToWatcherWithContext(w) }

// WaitForCacheSync polls until every function returns true or stopCh is closed.
func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return cache.WaitForCacheSync(stopCh, cacheSyncs...)
}

// WaitForNamedCacheSync is WaitForCacheSync, logged under a name.
func WaitForNamedCacheSync(controllerName string, stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return cache.WaitForNamedCacheSync(controllerName, stopCh, cacheSyncs...)
}

// WaitForNamedCacheSyncWithContext is WaitForCacheSync, logged with the logger
// of ctx.
func WaitForNamedCacheSyncWithContext(ctx context.Context, cacheSyncs ...InformerSynced) bool {
	return cache.WaitForNamedCacheSyncWithContext(ctx, cacheSyncs...)
}
