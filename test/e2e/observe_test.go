package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/operations/metrics"
	"github.com/informer-gen/informer-gen/operations/statuspage"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/minimal/generated/informers"
)

// Metrics and the status page say of a real API server what happened there, with watch-lists
// and with lists in pages.
func TestMetricsAndStatusPage(t *testing.T) {
	const namespace, before, later = "observe", 30, 5
	for _, test := range []struct {
		verb    string
		options cache.ListWatch
	}{
		{"watchlist", cache.ListWatch{}},
		{"list", cache.ListWatch{DisableWatchList: true, PageSize: 10}},
	} {
		t.Run(test.verb, func(t *testing.T) {
			if test.verb == "watchlist" && !server.WatchList() {
				t.Skip("the server has no watch-lists")
			}
			cfg, writer := playground(t, orders)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			client := orders.client(writer, namespace)
			create := func(n int) {
				t.Helper()
				if _, err := client.Create(ctx, orders.object(namespace, "order-"+strconv.Itoa(n), n), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for n := range before {
				create(n)
			}
			f := informers.NewSharedInformerFactoryWithOptions(newClient(t, cfg), 0, factory.WithListWatch(test.options))
			defer f.Shutdown()
			informer := factory.Core(f.Shop().V1alpha1().Orders().TypedInformer())
			if _, err := informer.AddHandler(cache.HandlerFuncs[*shopv1alpha1.Order]{}, cache.HandlerOptions{Name: "nothing"}); err != nil {
				t.Fatal(err)
			}
			registry := prometheus.NewPedanticRegistry()
			registry.MustRegister(metrics.NewFactoryCollector(f, ""))
			page := statuspage.New(f, statuspage.Options{Contents: true})
			f.StartWithContext(ctx)
			if err := f.WaitForSync(ctx); err != nil {
				t.Fatal(err)
			}
			// Watch-lists are consistent reads. Lists are served from the watch cache, which may be
			// behind: what they lack comes as events.
			listed := informer.Status().Received
			if listed > before || listed < before && test.verb == "watchlist" {
				t.Errorf("received %d objects of %d", listed, before)
			}
			for n := range later {
				create(before + n)
			}
			eventually(t, func() error {
				return scraped(registry, map[string]float64{
					"informergen_informer_synced":                              1,
					"informergen_informer_phase watching":                      1,
					"informergen_informer_objects":                             before + later,
					"informergen_informer_events_total":                        float64(before + later - listed),
					"informergen_informer_requests_total success " + test.verb: 1,
					"informergen_informer_failed_attempts connection":          0,
					"informergen_informer_objects_left_out":                    0,
					"informergen_handler_calls_total nothing":                  before + later,
					"informergen_handler_backlog nothing":                      0,
				})
			})
			if s := informer.Status(); s.Received != listed || s.Expected != 0 {
				t.Errorf("the list is over, and its progress is %d of %d", s.Received, s.Expected)
			}

			stored, err := client.Get(ctx, "order-3", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			answer := httptest.NewRecorder()
			page.ServeHTTP(answer, httptest.NewRequest("GET", "/?format=json&key="+namespace+"/order-3", nil))
			var data struct {
				Problems []any
				Found    []struct {
					ResourceVersion, UID string
					Content              shopv1alpha1.Order
				}
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &data); err != nil {
				t.Fatal(err)
			}
			if len(data.Problems) > 0 || len(data.Found) != 1 || data.Found[0].ResourceVersion != stored.GetResourceVersion() || data.Found[0].UID != string(stored.GetUID()) || data.Found[0].Content.Name != "order-3" {
				t.Errorf("the page says %s\nwant the order of resourceVersion %s", answer.Body, stored.GetResourceVersion())
			}
		})
	}
}

// scraped returns an error unless a registry has these samples: by the name of the metric and
// the values of its labels, but for factory and informer.
func scraped(registry *prometheus.Registry, want map[string]float64) error {
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := family.GetName()
			for _, label := range metric.GetLabel() {
				if label.GetName() != "factory" && label.GetName() != "informer" {
					name += " " + label.GetValue()
				}
			}
			got[name] = sampleOf(metric)
		}
	}
	var wrong []error
	for name, value := range want {
		if sample, ok := got[name]; !ok || sample != value {
			wrong = append(wrong, fmt.Errorf("%s is %v, %v; want %v", name, sample, ok, value))
		}
	}
	return errors.Join(wrong...)
}

func sampleOf(metric *dto.Metric) float64 {
	if metric.GetCounter() != nil {
		return metric.GetCounter().GetValue()
	}
	return metric.GetGauge().GetValue()
}
