package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/util/naming"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// NewReflector returns a reflector that keeps a store up to date with what a
// ListerWatcher lists and watches. It is named after the place that it is called
// from. See NewReflectorWithOptions.
func NewReflector(lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewNamedReflector returns a reflector with a name. See NewReflectorWithOptions.
func NewNamedReflector(name string, lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

// NewReflectorWithOptions returns client-go's reflector, which keeps a store of any kind
// up to date with what a ListerWatcher lists and watches. Watched objects of another type
// than the expected one are reported and skipped; nil accepts all.
func NewReflectorWithOptions(lw ListerWatcher, expectedType any, store ReflectorStore, options ReflectorOptions) *Reflector {
	if options.Name == "" {
		options.Name = naming.GetNameFromCallsite("client-go/tools/cache/", "runtime/clientgo/cache/")
	}
	return cache.NewReflectorWithOptions(lw, expectedType, store, options)
}

// NewNamespaceKeyedIndexerAndReflector returns an indexer with the index by
// namespace, and a reflector that keeps it up to date.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType any, resyncPeriod time.Duration) (indexer Indexer, reflector *Reflector) {
	indexer = NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}

// NewRetryWithDeadline returns a RetryWithDeadline that retries errors for which
// isRetryable is true, until they have lasted for maxRetryDuration. The time starts again
// when there was no such error for minResetPeriod.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, clock clock.Clock) RetryWithDeadline {
	return cache.NewRetryWithDeadline(maxRetryDuration, minResetPeriod, isRetryable, clock)
}

// SetReflectorMetricsProvider sets the provider of metrics that no reflector
// publishes, in client-go either.
func SetReflectorMetricsProvider(metricsProvider MetricsProvider) {
	cache.SetReflectorMetricsProvider(metricsProvider)
}
