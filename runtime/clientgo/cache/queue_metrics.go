package cache

import "time"

// queueMetrics are what a queue publishes. Its zero value publishes nothing.
type queueMetrics struct {
	items   GaugeMetric
	latency HistogramMetric
}

func newQueueMetrics(id InformerNameAndResource, provider InformerMetricsProvider) queueMetrics {
	provider = providerOf(id, provider)
	if provider == nil {
		return queueMetrics{}
	}
	return queueMetrics{items: provider.NewQueuedItemMetric(id), latency: provider.NewProcessingLatencyMetric(id)}
}

func (m queueMetrics) queued(items int) {
	if m.items != nil {
		m.items.Set(float64(items))
	}
}

// now is when something begins that handled observes.
func (m queueMetrics) now() (start time.Time) {
	if m.latency != nil {
		start = time.Now()
	}
	return start
}

func (m queueMetrics) handled(start time.Time) {
	if m.latency != nil {
		m.latency.Observe(time.Since(start).Seconds())
	}
}
