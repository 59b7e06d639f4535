//go:build !before37

package cache

import "k8s.io/client-go/tools/cache"

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

// The functions that tools/cache has since 0.37. Their documentation is client-go's.
var (
	NewIntegerResourceVersionMutationCacheWithOptions = cache.NewIntegerResourceVersionMutationCacheWithOptions
	ShutDownEventHandler                              = cache.ShutDownEventHandler
)

// TypedIndexerFuncToIndexerFunc makes an IndexFunc of a typed one.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	return cache.TypedIndexerFuncToIndexerFunc(indexer)
}

// TypedIndexersToIndexers makes Indexers of typed ones.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	return cache.TypedIndexersToIndexers(indexers)
}
