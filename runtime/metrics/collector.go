package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// metric is one metric of things with a status of type S.
type metric[S any] struct {
	name, help string
	kind       prometheus.ValueType
	labels     []string
	// collect emits the values of one status, each with the values of the labels.
	collect func(s S, emit func(value float64, labels ...string))
}

// collector is a prometheus.Collector of the statuses that a function returns.
type collector[S any] struct {
	metrics  []metric[S]
	descs    []*prometheus.Desc
	statuses func() []S
}

func newCollector[S any](metrics []metric[S], constant prometheus.Labels, statuses func() []S) *collector[S] {
	c := &collector[S]{metrics: metrics, statuses: statuses}
	for name, value := range constant {
		constant[name] = valid(value)
	}
	for _, m := range metrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, m.labels, constant))
	}
	return c
}

// Describe sends the descriptors of all metrics.
func (c *collector[S]) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range c.descs {
		descs <- desc
	}
}

// Collect sends the metrics of all statuses.
func (c *collector[S]) Collect(metrics chan<- prometheus.Metric) {
	for _, status := range c.statuses() {
		for i, m := range c.metrics {
			m.collect(status, func(value float64, labels ...string) {
				for l := range labels {
					labels[l] = valid(labels[l])
				}
				metrics <- prometheus.MustNewConstMetric(c.descs[i], m.kind, value, labels...)
			})
		}
	}
}

// valid returns a name as a value of a label, which must be valid UTF-8: users name things.
func valid(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// number is 1 for true and 0 for false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
