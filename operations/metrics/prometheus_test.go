package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// A real Prometheus scrapes a program in which everything happens that the dashboard shows.
// Each of its queries then has a result.
func TestDashboardOnPrometheus(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed; it is in Debian's package of that name")
	}
	if testing.Short() {
		t.Skip("takes 15 seconds")
	}
	scraped := httptest.NewServer(promhttp.HandlerFor(busyProgram(t), promhttp.HandlerOpts{}))
	defer scraped.Close()
	server := startPrometheus(t, program, strings.TrimPrefix(scraped.URL, "http://"))

	// Rates need a few scrapes with changes between them.
	deadline := time.Now().Add(5 * time.Minute)
	variables := strings.NewReplacer("$job", ".*", "$namespace", ".*", "$instance", ".*", "$factory", ".*", "$informer", ".*",
		"$top", "10", "$__rate_interval", "10s", "$__range", "60s")
	for title, all := range queries(t) {
		for _, query := range all {
			for {
				results, err := server.query(t.Context(), variables.Replace(query))
				if err != nil {
					t.Errorf("panel %q: %s: %v", title, query, err)
					break
				}
				if results > 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Errorf("panel %q: %s: no result", title, query)
					break
				}
				time.Sleep(time.Second)
			}
		}
	}
	server.check(t)
}

// busyProgram returns the registry of a program that runs until the end of the test.
func busyProgram(t *testing.T) *prometheus.Registry {
	quiet := klog.NewContext(t.Context(), klog.Logger{})
	ctx, stop := context.WithCancel(quiet)
	server := cachetest.NewServer()
	version := v1alpha1.GroupVersion
	api := cachetest.ServeObjects(server, version.WithResource("orders"), newOrder(0), newOrder(1))
	api.Fail(cachetest.Fault{Verb: cachetest.WatchList, Err: cachetest.Status(http.StatusForbidden)})
	// Warehouses are not served, so that what waits for them never starts.
	client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	f := informers.NewSharedInformerFactoryWithOptions(client, 0)
	t.Cleanup(func() {
		stop()
		f.Shutdown()
	})
	orders := factory.Core(f.Shop().V1alpha1().Orders().TypedInformer())
	warehouses := factory.Core(f.Shop().V1alpha1().Warehouses().TypedInformer())

	var calls atomic.Int64
	handle := func(*v1alpha1.Order) {
		time.Sleep(20 * time.Millisecond)
		if calls.Add(1)%50 == 0 {
			panic("every now and then")
		}
	}
	if _, err := orders.AddHandler(cache.HandlerFuncs[*v1alpha1.Order]{
		Update: func(_, order *v1alpha1.Order) { handle(order) },
	}, cache.HandlerOptions{Name: "invoices"}); err != nil {
		t.Fatal(err)
	}
	reconcile := func(_ context.Context, key types.NamespacedName) (controller.Result, error) {
		time.Sleep(50 * time.Millisecond)
		switch time.Now().UnixMilli() / 100 % 4 {
		case 0:
			return controller.Result{}, errors.New("warehouse is full")
		case 1:
			return controller.Result{}, controller.Terminal(errors.New("invalid order"))
		case 2:
			panic(key.String())
		}
		return controller.Result{After: time.Second}, nil
	}
	shipments, err := controller.New("shipments", reconcile, controller.Options{}, controller.KeysOf(orders))
	if err != nil {
		t.Fatal(err)
	}
	never, err := controller.New("never", reconcile, controller.Options{}, controller.KeysOf(warehouses))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*controller.Controller{shipments, never} {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = c.Run(ctx)
		}()
		t.Cleanup(func() { stop(); <-ended })
	}
	f.StartWithContext(ctx)
	happen(ctx, t, api, stop)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewFactoryCollector(f, "shop"), NewControllerCollector(shipments), NewControllerCollector(never), NewMemberCollector(memberStatus(replica())))
	return registry
}

// happen changes orders, and has watches cut, expire and deliver what can't be decoded, until
// ctx ends.
func happen(ctx context.Context, t *testing.T, api *cachetest.API[*v1alpha1.Order], stop func()) {
	ended := make(chan struct{})
	t.Cleanup(func() { stop(); <-ended })
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			order := newOrder(i % 2)
			order.Spec.Customer = fmt.Sprint("customer ", i)
			if _, err := api.Update(order); err != nil {
				t.Error(err)
				return
			}
			switch i % 400 {
			case 50:
				api.Bookmark()
				api.BreakWatches(cachetest.ErrConnectionRefused)
			case 150:
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, Err: cachetest.Status(http.StatusGone)})
				api.CloseWatches()
			case 250:
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, After: 1, Err: &failure.ObjectError{Err: failure.ErrUndecodable}})
				api.CloseWatches()
			case 300:
				api.Bookmark()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
}

func newOrder(i int) *v1alpha1.Order {
	return &v1alpha1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint("order-", i)},
		Spec:       v1alpha1.OrderSpec{Customer: "nobody", Items: []v1alpha1.OrderItem{{SKU: "book", Quantity: 1}}},
	}
}

// prometheusServer is the base URL of a Prometheus.
type prometheusServer string

// startPrometheus starts one that scrapes an address each second, with the rules of the docs.
func startPrometheus(t *testing.T, program, target string) prometheusServer {
	t.Helper()
	rules, err := filepath.Abs(docs + "/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: busy
    static_configs: [{targets: [%q]}]
`, rules, target), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	command := exec.CommandContext(t.Context(), program, "--config.file="+config, "--storage.tsdb.path="+dir+"/data", "--web.listen-address="+address)
	log, err := os.Create(dir + "/log")
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(dir + "/log")
			t.Logf("Prometheus:\n%s", text)
		}
	})
	return prometheusServer("http://" + address)
}

// get reads an answer of the API.
func (p prometheusServer) get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, string(p)+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// query returns how many results a query has.
func (p prometheusServer) query(ctx context.Context, query string) (results int, err error) {
	var answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	for range 3000 {
		if err = p.get(ctx, "/api/v1/query?query="+url.QueryEscape(query), &answer); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond) // it starts
	}
	if err == nil && answer.Status != "success" {
		err = errors.New(answer.Error)
	}
	return len(answer.Data.Result), err
}

// check reports scrapes and rules that fail.
func (p prometheusServer) check(t *testing.T) {
	t.Helper()
	var targets struct {
		Data struct {
			ActiveTargets []struct{ Health, LastError string }
		}
	}
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := errors.Join(p.get(t.Context(), "/api/v1/targets", &targets), p.get(t.Context(), "/api/v1/rules", &rules)); err != nil {
		t.Fatal(err)
	}
	if active := targets.Data.ActiveTargets; len(active) != 1 || active[0].Health != "up" {
		t.Errorf("scrapes: %+v", active)
	}
	checked := 0
	for _, group := range rules.Data.Groups {
		for _, rule := range group.Rules {
			checked++
			if rule.Health != "ok" {
				t.Errorf("rule %s is %s: %s", rule.Name, rule.Health, rule.LastError)
			}
		}
	}
	if want := len(alerts(t)); checked != want {
		t.Errorf("Prometheus has %d rules, want %d", checked, want)
	}
}
