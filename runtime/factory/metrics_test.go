package factory_test

import (
	"context"
	"strconv"
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
)

// versionMetrics is a provider that keeps the resourceVersions of stores, as
// numbers by the name and resource of the informer.
type versionMetrics map[string]float64

type gauge func(float64)

func (g gauge) Set(value float64)     { g(value) }
func (g gauge) Observe(value float64) { g(value) }

func (versionMetrics) NewQueuedItemMetric(clientgocache.InformerNameAndResource) cache.GaugeMetric {
	return gauge(func(float64) {})
}

func (versionMetrics) NewProcessingLatencyMetric(clientgocache.InformerNameAndResource) clientgocache.HistogramMetric {
	return gauge(func(float64) {})
}

func (m versionMetrics) NewStoreResourceVersionMetric(id clientgocache.InformerNameAndResource) cache.GaugeMetric {
	return gauge(func(version float64) { m[id.Name()+" "+id.GroupVersionResource().Resource] = version })
}

// versions is the provider of the process, which can be set once.
var versions = versionMetrics{}

// The informers of a factory with a name publish client-go's metrics.
func TestNamedInformersHaveMetrics(t *testing.T) {
	clear(versions)
	clientgocache.SetInformerMetricsProvider(versions)
	name, err := clientgocache.NewInformerName("test-named-informers-have-metrics")
	if err != nil {
		t.Fatal(err)
	}
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		f := newFactory(fake.NewClientset(pod("a", "1", nil)), WithInformerName(name))
		pods := f.pods()
		f.StartWithContext(ctx)
		f.WaitForCacheSync(ctx.Done())
		stop()
		f.Shutdown()
		version := pods.GetStore().(interface{ LastStoreSyncResourceVersion() string }).LastStoreSyncResourceVersion()
		want, _ := strconv.Atoi(version) // lists of fake clientsets of client-go before 0.36 have none
		if got, ok := versions["test-named-informers-have-metrics pods"]; !ok || int(got) != want {
			t.Errorf("versions %v, want that of pods to be %d", versions, want)
		}
	})
}
