package cache

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// metricsLog is a provider whose metrics record their values.
type metricsLog struct {
	mu        sync.Mutex
	published []string
}

type metricOf struct {
	*metricsLog
	id   InformerNameAndResource
	name string
}

func (m metricOf) Set(value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.published = append(m.published, fmt.Sprintf("%s %s %s: %v", m.id.Name(), m.id.GroupVersionResource().Resource, m.name, value))
}

func (m metricOf) Observe(value float64) { m.Set(value) }

func (l *metricsLog) NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric {
	return metricOf{l, id, "queued"}
}

func (l *metricsLog) NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric {
	return metricOf{l, id, "latency"}
}

func (l *metricsLog) NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric {
	return metricOf{l, id, "version"}
}

func (l *metricsLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { l.published = nil }()
	return slices.Clone(l.published)
}

// newInformerName reserves a name until the end of the test.
func newInformerName(t *testing.T) *InformerName {
	t.Helper()
	name, err := NewInformerName(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(name.Release)
	return name
}

// Only the first informer of a resource under a name has metrics. No informer has them without a name, or
// if the name was released before.
func TestInformerMetricsNeedAReservedIdentity(t *testing.T) {
	metrics := &metricsLog{}
	name := newInformerName(t)
	first, second := name.WithResource(podsResource), name.WithResource(podsResource)
	has := func(id InformerNameAndResource) bool { return InformerMetrics(id, metrics).Queued != nil }
	if !has(first) || has(second) || has(InformerNameAndResource{}) {
		t.Errorf("metrics of the first %t, of the second %t, without a name %t",
			has(first), has(second), has(InformerNameAndResource{}))
	}
	name.Release()
	if has(first) {
		t.Error("a released name has metrics")
	}
}

// The common provider is the first one that is set, and used where no other is
// given.
func TestCommonMetricsProvider(t *testing.T) {
	name := newInformerName(t)
	if InformerMetrics(name.WithResource(podsResource), nil).Queued != nil {
		t.Error("metrics without a provider")
	}
	common, later := &metricsLog{}, &metricsLog{}
	SetInformerMetricsProvider(common)
	t.Cleanup(func() { commonProvider.Store(nil) })
	SetInformerMetricsProvider(later)

	id := name.WithResource(schema.GroupVersionResource{Resource: "services"})
	InformerMetrics(id, nil).Queued(3)
	if diff := cmp.Diff([]string{"TestCommonMetricsProvider services queued: 3"}, common.take()); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	own := &metricsLog{}
	InformerMetrics(id, own).Queued(3)
	if len(own.take()) != 1 || len(common.take())+len(later.take()) != 0 {
		t.Error("the one that was given is not the one that is used")
	}
}

func TestVersionNumber(t *testing.T) {
	for version, want := range map[string]float64{
		"":                     0,
		"17":                   17,
		"12345678901234567890": 678901234567890,
	} {
		if got, ok := versionNumber(version); !ok || got != want {
			t.Errorf("%q is %v, %t", version, got, ok)
		}
	}
	if got, ok := versionNumber("v17"); ok {
		t.Errorf("v17 is %v", got)
	}
}
