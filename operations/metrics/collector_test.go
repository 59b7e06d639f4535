package metrics

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
)

var update = flag.Bool("update", false, "write the expected output")

type statuses []cache.Status

func (s statuses) Status() []cache.Status { return s }

type controllerStatus controller.Status

func (s controllerStatus) Status() controller.Status { return controller.Status(s) }

// orders is the status of an informer with a value for every metric.
func orders() cache.Status {
	return cache.Status{
		Name:          "orders.v1.shop.example.com",
		Phase:         cache.PhaseBackingOff,
		Started:       time.Now().Add(-time.Hour),
		LastContact:   time.Now().Add(-90 * time.Second),
		Synced:        true,
		Attempts:      3,
		LastError:     errors.New("reset"),
		Objects:       2000,
		Reconnects:    4,
		Relists:       3,
		RelistReasons: failure.Counts{failure.ClassExpired: 2, failure.ClassConnection: 1},
		Lists:         failure.Outcomes{Succeeded: 4, Failed: failure.Counts{failure.ClassServerError: 5}},
		WatchLists:    failure.Outcomes{Failed: failure.Counts{failure.ClassForbidden: 1}},
		Watches:       failure.Outcomes{Succeeded: 7, Failed: failure.Counts{failure.ClassSilent: 1, failure.ClassServerError: 2}},
		Events:        12345,
		Bookmarks:     61,
		LeftOut:       2,
		ObjectErrors:  3,
		Handlers: []cache.HandlerStatus{
			{Name: "invoices", Backlog: 500, Lag: 1500 * time.Millisecond, Delivered: 14000, LongestCall: 250 * time.Millisecond, Panics: 1, LastPanic: time.Now().Add(-time.Minute)},
			{Name: "stock", Delivered: 14500},
		},
	}
}

// shipments is the status of a controller with a value for every metric.
func shipments() controller.Status {
	return controller.Status{
		Name: "shipments", Synced: true, Waiting: 12, Oldest: 2500 * time.Millisecond, Delayed: 3, AwaitingWrites: 1, OverdueWrites: []controller.KeyError{{Err: errors.New("late")}}, Overdue: 2,
		Running: []controller.Running{
			{Key: types.NamespacedName{Namespace: "shop", Name: "a"}, For: 4 * time.Second},
			{Key: types.NamespacedName{Namespace: "shop", Name: "b"}, For: time.Second},
		},
		Succeeded: 4000, Failed: 30, Terminal: 2, Panicked: 1, TerminalErrors: []controller.KeyError{{Err: errors.New("no")}}, LastPanic: time.Now().Add(-time.Minute),
	}
}

type memberStatus membership.Status

func (s memberStatus) Status() membership.Status { return membership.Status(s) }

// replica is the status of a member with a value for every metric.
func replica() membership.Status {
	slots := func(count int, since time.Duration) membership.SlotsStatus {
		return membership.SlotsStatus{Count: count, Since: time.Now().Add(-since)}
	}
	return membership.Status{
		Group: "orders", Phase: membership.Active, Renewed: time.Now().Add(-time.Second),
		Owned: slots(20, time.Hour), Gaining: slots(1, time.Second), Losing: slots(2, time.Minute), Unowned: slots(3, 2*time.Second),
		Gained: 40, Lost: 20, HoldingUp: 4, Failures: 5,
	}
}

// Every metric, as a scrape sees it.
func TestExposition(t *testing.T) {
	for _, test := range []struct {
		name      string
		collector func() prometheus.Collector
	}{
		{"informers", func() prometheus.Collector { return NewFactoryCollector(statuses{orders()}, "shop") }},
		{"controller", func() prometheus.Collector { return NewControllerCollector(controllerStatus(shipments())) }},
		{"member", func() prometheus.Collector { return NewMemberCollector(memberStatus(replica())) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := test.collector()
				got := scrape(t, c)
				file := "testdata/" + test.name + ".txt"
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("go test -update writes it (-want +got):\n%s", diff)
				}
				problems, err := testutil.CollectAndLint(c)
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range problems {
					t.Errorf("%s: %s", problem.Metric, problem.Text)
				}
			})
		})
	}
}

// scrape returns what a registry that checks everything exposes.
func scrape(t *testing.T, collectors ...prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collectors...)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	return w.Body.String()
}

// lines returns the samples of some metrics, without the helps.
func lines(text string, prefixes ...string) (found []string) {
	for line := range strings.Lines(text) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(line, prefix) {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}

// Nothing that users name breaks a scrape.
func TestNames(t *testing.T) {
	same := cache.HandlerStatus{Name: "same", Backlog: 1, Lag: time.Second, Delivered: 10, LongestCall: time.Minute, Panics: 1, LastPanic: time.Unix(2000, 500_000_000)}
	other := cache.HandlerStatus{Name: "same", Backlog: 2, Lag: time.Minute, Delivered: 20, LongestCall: time.Second, Panics: 2, LastPanic: time.Unix(1000, 0)}
	given := statuses{
		{Name: "pods"},
		{Name: "pods", Objects: 2},
		{Name: "pods#2", Objects: 3},
		{Name: "\xff\"quoted\"\n{}", Handlers: []cache.HandlerStatus{{Name: "\xfe"}, {Name: "\xfd"}}},
		{Name: "\xfe\"quoted\"\n{}"},
		{Name: `\xfe"quoted"` + "\n{}"},
		{Name: "", Handlers: []cache.HandlerStatus{same, {Name: "between"}, other}},
	}
	got := lines(scrape(t, NewFactoryCollector(given, "\xff")), "informergen_informer_objects{", "informergen_handler_")
	want := []string{
		`informergen_handler_backlog{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_backlog{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_backlog{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_backlog{factory="\\xff",handler="same",informer=""} 3`,
		`informergen_handler_calls_total{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_calls_total{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_calls_total{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_calls_total{factory="\\xff",handler="same",informer=""} 30`,
		`informergen_handler_lag_seconds{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_lag_seconds{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_lag_seconds{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_lag_seconds{factory="\\xff",handler="same",informer=""} 60`,
		`informergen_handler_last_panic_timestamp_seconds{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_last_panic_timestamp_seconds{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_last_panic_timestamp_seconds{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_last_panic_timestamp_seconds{factory="\\xff",handler="same",informer=""} 2000.5`,
		`informergen_handler_longest_call_seconds{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_longest_call_seconds{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_longest_call_seconds{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_longest_call_seconds{factory="\\xff",handler="same",informer=""} 60`,
		`informergen_handler_panics_total{factory="\\xff",handler="\\xfd",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_panics_total{factory="\\xff",handler="\\xfe",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_handler_panics_total{factory="\\xff",handler="between",informer=""} 0`,
		`informergen_handler_panics_total{factory="\\xff",handler="same",informer=""} 3`,
		`informergen_informer_objects{factory="\\xff",informer=""} 0`,
		`informergen_informer_objects{factory="\\xff",informer="\\xfe\"quoted\"\n{}"} 0`,
		`informergen_informer_objects{factory="\\xff",informer="\\xfe\"quoted\"\n{}#2"} 0`,
		`informergen_informer_objects{factory="\\xff",informer="\\xff\"quoted\"\n{}"} 0`,
		`informergen_informer_objects{factory="\\xff",informer="pods"} 0`,
		`informergen_informer_objects{factory="\\xff",informer="pods#2"} 2`,
		`informergen_informer_objects{factory="\\xff",informer="pods#2#2"} 3`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if given[1].Name != "pods" || len(given[6].Handlers) != 3 {
		t.Errorf("a scrape has changed the status: %+v", given)
	}
}

// Several factories and controllers are in one registry. Two of the same name are an error of
// the registry, not of each scrape.
func TestSeveralInOneRegistry(t *testing.T) {
	text := scrape(t,
		NewFactoryCollector(statuses{{Name: "pods", Objects: 1}}, ""),
		NewFactoryCollector(statuses{{Name: "pods", Objects: 2}}, "remote"),
		NewInformerCollector("alone", informerStatus{Name: "pods", Objects: 3}, informerStatus{Name: "nodes", Objects: 4}),
		NewControllerCollector(controllerStatus{Name: "a", Waiting: 1}),
		NewControllerCollector(controllerStatus{Name: "b", Waiting: 2}),
		NewControllerCollector(controllerStatus{Name: "\xfe", Waiting: 3}),
		NewControllerCollector(controllerStatus{Name: "\xff", Waiting: 4}),
	)
	want := []string{
		`informergen_controller_waiting_keys{controller="\\xfe"} 3`,
		`informergen_controller_waiting_keys{controller="\\xff"} 4`,
		`informergen_controller_waiting_keys{controller="a"} 1`,
		`informergen_controller_waiting_keys{controller="b"} 2`,
		`informergen_informer_objects{factory="",informer="pods"} 1`,
		`informergen_informer_objects{factory="alone",informer="nodes"} 4`,
		`informergen_informer_objects{factory="alone",informer="pods"} 3`,
		`informergen_informer_objects{factory="remote",informer="pods"} 2`,
	}
	if diff := cmp.Diff(want, lines(text, "informergen_controller_waiting_keys", "informergen_informer_objects{")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewFactoryCollector(statuses{}, "shop"))
	var twice prometheus.AlreadyRegisteredError
	if err := registry.Register(NewFactoryCollector(statuses{}, "shop")); !errors.As(err, &twice) {
		t.Errorf("error %v", err)
	}
}

// Informers of one name cost no more than others.
func TestManyOfOneName(t *testing.T) {
	const n = 5000
	allocations := testing.AllocsPerRun(1, func() {
		all := make([]cache.Status, n)
		nameApart(all)
		if last := all[n-1].Name; last != "#5000" {
			t.Errorf("the last name is %q", last)
		}
	})
	if allocations > 10*n {
		t.Errorf("%v allocations for %d names", allocations, n)
	}
}

type informerStatus cache.Status

func (s informerStatus) Status() cache.Status { return cache.Status(s) }

// Every phase and class that there will ever be has its series.
func TestLabelsAreComplete(t *testing.T) {
	for phase := cache.PhasePending; phase <= cache.PhaseStopped; phase++ {
		if phases[phase] == "" {
			t.Errorf("%v has no value of a label", phase)
		}
	}
	if len(phases) != int(cache.PhaseStopped)+1 {
		t.Errorf("%d phases", len(phases))
	}
}

// The informers of client-go that a factory may have tell no times.
func TestInformerWithoutTimes(t *testing.T) {
	got := lines(scrape(t, NewFactoryCollector(statuses{{Name: "pods", Phase: cache.PhaseWatching, Synced: true}}, "")), "informergen_informer_stale_seconds")
	if want := []string{`informergen_informer_stale_seconds{factory="",informer="pods"} 0`}; !cmp.Equal(want, got) {
		t.Errorf("got %q", got)
	}
}

func BenchmarkCollect(b *testing.B) {
	var all statuses
	for range 50 {
		all = append(all, orders())
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewFactoryCollector(all, ""))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
