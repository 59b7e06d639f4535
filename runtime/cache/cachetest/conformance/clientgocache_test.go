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
	NewIndexer: func(keyFunc cache.KeyFunc, indexers cache.Indexers, transform cache.TransformFunc) cache.Indexer {
		return clientgocache.NewIndexer(keyFunc, indexers, clientgocache.WithTransformer(transform))
	},
	NewFactory: newFactory,
	Skip: map[string]string{
		"WL10 a watch-list that differs from the list ends an informer if enabled": noDetector,
	},
}
