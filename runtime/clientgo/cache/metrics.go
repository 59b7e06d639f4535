package cache

import (
	"strconv"
	"sync/atomic"
	"time"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// commonProvider is that of SetInformerMetricsProvider; nil before.
var commonProvider atomic.Pointer[InformerMetricsProvider]

// SetInformerMetricsProvider sets the provider of the informers, queues and
// stores that are made after it and do not come with one, here and in client-go.
// Only the first call has an effect. One of client-go's own function, which
// cannot be asked for what it was given, has none here.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	commonProvider.CompareAndSwap(nil, &metricsProvider)
	shareProvider(metricsProvider)
}

// providerOf returns the provider of metrics for an identity: metricsProvider, or else the
// common one. It is nil if there is none, or if the identity is not reserved, because it
// has no name, or another informer has it.
func providerOf(id InformerNameAndResource, metricsProvider InformerMetricsProvider) InformerMetricsProvider {
	switch common := commonProvider.Load(); {
	case !id.Reserved():
		return nil
	case metricsProvider == nil && common != nil:
		return *common
	default:
		return metricsProvider
	}
}

// InformerMetrics returns what publishes the three metrics of client-go's
// informers for one of the core: the deltas that wait for the store, how long the
// store takes for a batch of them, and its resourceVersion. A nil metricsProvider
// is the one of SetInformerMetricsProvider. Without a provider, or if the identity
// is not reserved, nothing is published.
func InformerMetrics(id InformerNameAndResource, metricsProvider InformerMetricsProvider) core.Metrics {
	provider := providerOf(id, metricsProvider)
	if provider == nil {
		return core.Metrics{}
	}
	items, latency := provider.NewQueuedItemMetric(id), provider.NewProcessingLatencyMetric(id)
	version := newStoreMetric(id, provider)
	return core.Metrics{
		Queued: func(deltas int) { items.Set(float64(deltas)) },
		Committed: func(took time.Duration, resourceVersion string) {
			latency.Observe(took.Seconds())
			version(resourceVersion)
		},
	}
}

// newStoreMetric returns a function that publishes the resourceVersion of a store unless it is not a
// number, or nil if nothing is published.
func newStoreMetric(id InformerNameAndResource, metricsProvider InformerMetricsProvider) func(resourceVersion string) {
	provider := providerOf(id, metricsProvider)
	if provider == nil {
		return nil
	}
	gauge := provider.NewStoreResourceVersionMetric(id)
	return func(resourceVersion string) {
		if n, ok := versionNumber(resourceVersion); ok {
			gauge.Set(n)
		}
	}
}

// exactDigits is the number of digits that every float64 holds.
const exactDigits = 15

// versionNumber is the number of the last digits of a resourceVersion, as many as
// a float64 holds; none is 0.
func versionNumber(resourceVersion string) (float64, bool) {
	if resourceVersion == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(resourceVersion[max(0, len(resourceVersion)-exactDigits):], 10, 64)
	return float64(n), err == nil
}
