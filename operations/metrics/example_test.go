package metrics_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/metrics"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// The informers of a generated factory, here over an API server in memory, as Prometheus
// scrapes them. In a manager of controller-runtime, register the collector with
// metrics.Registry of sigs.k8s.io/controller-runtime/pkg/metrics.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	server := cachetest.NewServer()
	first := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	cachetest.ServeObjects(server, v1alpha1.GroupVersion.WithResource("orders"), first)
	client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
	if err != nil {
		log.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer stop()
	factory.Shop().V1alpha1().Orders().Informer()

	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewFactoryCollector(factory, ""))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	factory.StartWithContext(ctx)
	if err := factory.WaitForSyncOrStuck(ctx); err != nil {
		log.Fatal(err)
	}
	scrape := httptest.NewRecorder()
	handler.ServeHTTP(scrape, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(scrape.Body.String()) {
		if strings.HasPrefix(line, "informergen_informer_synced") || strings.HasPrefix(line, "informergen_informer_objects{") {
			fmt.Print(line)
		}
	}
	// Output:
	// informergen_informer_objects{factory="",informer="orders.v1alpha1.shop.example.com"} 1
	// informergen_informer_synced{factory="",informer="orders.v1alpha1.shop.example.com"} 1
}
