package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/util/naming"
	"k8s.io/client-go/tools/cache"
)

// NewReflector returns client-go's reflector. See NewReflectorWithOptions.
func NewReflector(lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewReflectorWithOptions returns client-go's reflector. If it has no name, it is named after the place
// where it is made: client-go does not recognise this package's files in the module cache.
func NewReflectorWithOptions(lw ListerWatcher, expectedType any, store ReflectorStore, options ReflectorOptions) *Reflector {
	if options.Name == "" {
		options.Name = naming.GetNameFromCallsite("runtime/clientgo/cache/")
	}
	return cache.NewReflectorWithOptions(lw, expectedType, store, options)
}

// NewNamespaceKeyedIndexerAndReflector returns an indexer with the index by
// namespace, and a reflector that keeps it up to date.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType any, resyncPeriod time.Duration) (indexer Indexer, reflector *Reflector) {
	indexer = NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}
