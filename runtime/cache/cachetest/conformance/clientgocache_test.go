package conformance_test

import (
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// layer is the compatibility layer, runtime/clientgo/cache.
var layer = conformance.Implementation{
	Name:                   "clientgo-cache",
	NewSharedIndexInformer: clientgocache.NewSharedIndexInformerWithOptions,
	NewInformer:            clientgocache.NewInformerWithOptions,
	NewReflector: func(lw cache.ListerWatcher, expected any, store cache.ReflectorStore, options conformance.ReflectorOptions) conformance.Reflector {
		r := clientgocache.NewReflectorWithOptions(lw, expected, store, options.ReflectorOptions)
		r.WatchListPageSize = options.WatchListPageSize
		r.MaxInternalErrorRetryDuration = options.MaxInternalErrorRetryDuration
		return r
	},
	NewIndexer: func(keyFunc cache.KeyFunc, indexers cache.Indexers, transform cache.TransformFunc) cache.Indexer {
		return clientgocache.NewIndexer(keyFunc, indexers, clientgocache.WithTransformer(transform))
	},
	NewDeltaFIFO: func(options cache.DeltaFIFOOptions) cache.Queue {
		return clientgocache.NewDeltaFIFOWithOptions(options)
	},
	NewRealFIFO: func(options cache.RealFIFOOptions) cache.QueueWithBatch {
		return clientgocache.NewRealFIFOWithOptions(options)
	},
	NewThreadSafeStore: func(indexers cache.Indexers) cache.ThreadSafeStore {
		return clientgocache.NewThreadSafeStore(indexers, cache.Indices{})
	},
	NewFactory: newFactory,
	Skip: map[string]string{
		"WL10 a watch-list that differs from the list ends an informer if enabled": noDetector,
		"Q7 an object without a key ends its batch":                                "a key is computed when an object is queued, before it is transformed: none is missing",
	},
}
