//go:build !before37

package cache

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// The types that tools/cache has since 0.37. Their documentation is client-go's.
type (
	DeletedObject[T Object]                          = cache.DeletedObject[T]
	MutationCacheOptions                             = cache.MutationCacheOptions
	Object                                           = cache.Object
	TypedFilteringResourceEventHandler[T Object]     = cache.TypedFilteringResourceEventHandler[T]
	TypedIndexFunc[T any]                            = cache.TypedIndexFunc[T]
	TypedIndexer[T any]                              = cache.TypedIndexer[T]
	TypedIndexers[T any]                             = cache.TypedIndexers[T]
	TypedResourceEventHandler[T Object]              = cache.TypedResourceEventHandler[T]
	TypedResourceEventHandlerDetailedFuncs[T Object] = cache.TypedResourceEventHandlerDetailedFuncs[T]
	TypedResourceEventHandlerFuncs[T Object]         = cache.TypedResourceEventHandlerFuncs[T]
	TypedSharedIndexInformer[T Object]               = cache.TypedSharedIndexInformer[T]
)

// NewIntegerResourceVersionMutationCacheWithOptions returns a view of a store that has the
// objects that its user has written already before they arrive in the store.
func NewIntegerResourceVersionMutationCacheWithOptions(logger klog.Logger, backingCache Store, options MutationCacheOptions) MutationCache {
	return cache.NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache, options)
}

// ShutDownEventHandler removes a handler and waits until it will not be called
// again. It must not be called by that handler.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	return cache.ShutDownEventHandler(informer, handle)
}

// TypedIndexerFuncToIndexerFunc makes an IndexFunc of a typed one.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	return cache.TypedIndexerFuncToIndexerFunc(indexer)
}

// TypedIndexersToIndexers makes Indexers of typed ones.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	return cache.TypedIndexersToIndexers(indexers)
}
