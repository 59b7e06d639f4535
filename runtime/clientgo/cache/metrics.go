package cache

import (
	"strconv"
	"sync/atomic"
	"time"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// commonProvider is the provider of SetInformerMetricsProvider. It is nil before the call.
var commonProvider atomic.Pointer[InformerMetricsProvider]

// SetInformerMetricsProvider sets the provider of informers, queues and stores that are made later and have
// no provider of their own, here and in client-go. Only the first call has an effect. A call of client-go's
// own function has no effect here, since client-go does not return the provider.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	commonProvider.CompareAndSwap(nil, &metricsProvider)
	shareProvider(metricsProvider)
}

// providerOf returns the provider of metrics for an identity: metricsProvider if it is not nil, or else the
// common one. It returns nil if there is none, or if the identity is not reserved: it has no name, or
// another informer has it.
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

// InformerMetrics returns Metrics for a core informer that publish the three metrics of client-go's
// informers. These are the number of deltas that wait for the store, the time that the store takes for a
// batch, and its resourceVersion. A nil metricsProvider means the provider of SetInformerMetricsProvider.
// Without a provider, or if the identity is not reserved, nothing is published.
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

// newStoreMetric returns a function that publishes the resourceVersion of a store if it is a number. It
// returns nil if nothing is published.
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

// exactDigits is the number of decimal digits that every float64 holds.
const exactDigits = 15

// versionNumber returns the number of a resourceVersion's last digits, as many as a float64 holds. It is 0
// for "".
func versionNumber(resourceVersion string) (float64, bool) {
	if resourceVersion == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(resourceVersion[max(0, len(resourceVersion)-exactDigits):], 10, 64)
	return float64(n), err == nil
}
