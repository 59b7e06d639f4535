package conformance_test

import (
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// face is runtime/clientgo/cache.
var face = conformance.Implementation{
	Name:                   "clientgo-cache",
	NewSharedIndexInformer: clientgocache.NewSharedIndexInformerWithOptions,
	NewIndexer: func(keyFunc cache.KeyFunc, indexers cache.Indexers, transform cache.TransformFunc) cache.Indexer {
		return clientgocache.NewIndexer(keyFunc, indexers, clientgocache.WithTransformer(transform))
	},
	NewDeltaFIFO: func(options cache.DeltaFIFOOptions) cache.Queue {
		return clientgocache.NewDeltaFIFOWithOptions(options)
	},
	NewRealFIFO: func(options cache.RealFIFOOptions) cache.QueueWithBatch {
		return clientgocache.NewRealFIFOWithOptions(options)
	},
	NewFactory: newFactory,
	Skip: map[string]string{
		"L3": pending,
		"L10 a panic of the list function is one of the reflector":           pending,
		"W1 a watch timeout of less than five minutes is ignored":            pending,
		"W3 a store that wants to is told of each version":                   pending,
		"W4 500 leads to another watch if internal errors are to be retried": pending,
		"W4 the end of an open watch is nothing for the watch error handler": everyFailure,
		"W9 a backoff of one's own takes the place of the default":           pending,
		"W10":  pending,
		"WL10": noDetector,
		"Q7 an object without a key ends its batch":                                          "a key is computed when an object is queued, before it is transformed: none is missing",
		"S7 a store by key takes its version from objects, and from a deletion that has one": pending,
		"P4": pending,
	},
}

const pending = "pending"
