package metrics

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
)

// metric is one metric of subjects with a status of type S.
type metric[S any] struct {
	name, help string
	kind       prometheus.ValueType
	labels     []string
	// collect emits the values of one status, each with the values of its labels. These must be valid
	// UTF-8.
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
				metrics <- prometheus.MustNewConstMetric(c.descs[i], m.kind, value, labels...)
			})
		}
	}
}

// valid returns a name as a label's value, which must be valid UTF-8. Invalid bytes are escaped, so that
// names that differ in them still differ.
func valid(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var escaped strings.Builder
	for i, r := range name {
		if _, size := utf8.DecodeRuneInString(name[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&escaped, `\x%02x`, name[i])
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}

// seconds returns a time as Unix seconds, and 0 for the zero time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// number returns 1 for true and 0 for false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
