package metrics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Informer has the method of a runtime/cache Informer that a collector calls.
type Informer interface {
	Status() cache.Status
}

// Factory has the method of a factory that a collector calls. Generated factories and the factories of
// runtime/factory fit.
type Factory interface {
	Status() []cache.Status
}

// NewFactoryCollector returns a collector of the informers that a factory has when it is scraped, and of
// their handlers. The label "factory" has the name. One of the factories of a registry may have an empty
// name.
func NewFactoryCollector(factory Factory, name string) prometheus.Collector {
	return newInformerCollector(name, factory.Status)
}

// NewInformerCollector returns a collector of informers without a factory. The label "factory" has the
// name; see NewFactoryCollector.
func NewInformerCollector(name string, informers ...Informer) prometheus.Collector {
	informers = slices.Clone(informers)
	return newInformerCollector(name, func() []cache.Status {
		all := make([]cache.Status, 0, len(informers))
		for _, informer := range informers {
			all = append(all, informer.Status())
		}
		return all
	})
}

func newInformerCollector(name string, statuses func() []cache.Status) prometheus.Collector {
	return newCollector(informerMetrics, prometheus.Labels{"factory": name}, func() []cache.Status {
		all := slices.Clone(statuses())
		nameApart(all)
		for i := range all {
			all[i].Handlers = mergeByName(all[i].Handlers)
		}
		return all
	})
}

// nameApart makes the names valid values of a label, and adds a number to a name that an earlier informer
// has.
func nameApart(all []cache.Status) {
	numbers := map[string]int{} // the last one of each name that is taken
	for i := range all {
		name := valid(all[i].Name)
		unique := name
		for numbers[unique] > 0 {
			numbers[name]++
			unique = fmt.Sprintf("%s#%d", name, numbers[name])
		}
		numbers[unique] = 1
		all[i].Name = unique
	}
}

// mergeByName returns one status for each name, in the order in which the names first appear.
func mergeByName(handlers []cache.HandlerStatus) []cache.HandlerStatus {
	var merged []cache.HandlerStatus
	at := map[string]int{}
	for _, h := range handlers {
		h.Name = valid(h.Name)
		i, ok := at[h.Name]
		if !ok {
			at[h.Name] = len(merged)
			merged = append(merged, h)
			continue
		}
		m := &merged[i]
		m.Backlog += h.Backlog
		m.Delivered += h.Delivered
		m.Panics += h.Panics
		m.Lag = max(m.Lag, h.Lag)
		m.LongestCall = max(m.LongestCall, h.LongestCall)
		if h.LastPanic.After(m.LastPanic) {
			m.LastPanic = h.LastPanic
		}
	}
	return merged
}

// phases are the values of the label "phase".
var phases = map[cache.Phase]string{
	cache.PhasePending:    "pending",
	cache.PhaseListing:    "listing",
	cache.PhaseStreaming:  "streaming",
	cache.PhaseWatching:   "watching",
	cache.PhaseBackingOff: "backing_off",
	cache.PhaseAbsent:     "absent",
	cache.PhaseStopped:    "stopped",
}

var informerMetrics = []metric[cache.Status]{
	gauge("informer_synced", "Whether the store has held a whole list (1) or not yet (0).",
		func(s cache.Status) float64 { return number(s.Synced) }),
	{
		"informergen_informer_phase", "What the informer is doing: 1 for its phase, 0 for the others.",
		prometheus.GaugeValue, []string{"informer", "phase"},
		func(s cache.Status, emit func(float64, ...string)) {
			for phase, name := range phases {
				emit(number(phase == s.Phase), s.Name, name)
			}
		},
	},
	gauge("informer_stale_seconds", "For how long the store has not been known to be up to date with the server.",
		stale),
	gauge("informer_objects", "Objects in the store.",
		func(s cache.Status) float64 { return float64(s.Objects) }),
	{
		"informergen_informer_failed_attempts", "Lists and watches that failed since the last that did not, by the class of the last error; 0 for the other classes.",
		prometheus.GaugeValue, []string{"informer", "class"},
		func(s cache.Status, emit func(float64, ...string)) {
			last := failure.ClassOf(s.LastError)
			for class := range (failure.Counts{}).All() {
				emit(float64(s.Attempts)*number(class == last), s.Name, label(class))
			}
		},
	},
	{
		"informergen_informer_names", "Names that an informer of a set of names follows, by state.",
		prometheus.GaugeValue, []string{"informer", "state"},
		func(s cache.Status, emit func(float64, ...string)) {
			if n := s.Names; n != nil {
				emit(float64(n.Known-n.Absent), s.Name, "present")
				emit(float64(n.Absent), s.Name, "absent")
				emit(float64(n.Followed-n.Known), s.Name, "unknown")
			}
		},
	},
	gauge("informer_objects_left_out", "Objects that are left out of the store or an index now.",
		func(s cache.Status) float64 { return float64(s.LeftOut) }),
	gauge("informer_decoded_by_client", "Whether a client decodes the responses that the source was to decode (1) or not (0).",
		func(s cache.Status) float64 { return number(s.DecodedByClient != "") }),
	counter("informer_events_total", "Changes of single objects that the store has taken: watch events, without duplicates and initial events.",
		func(s cache.Status) float64 { return float64(s.Events) }),
	counter("informer_bookmarks_total", "Bookmarks that the server has sent.",
		func(s cache.Status) float64 { return float64(s.Bookmarks) }),
	{
		"informergen_informer_requests_total", "Lists, watch-lists and watches that have ended, by outcome.",
		prometheus.CounterValue, []string{"informer", "verb", "outcome"},
		func(s cache.Status, emit func(float64, ...string)) {
			for verb, outcomes := range verbs(s) {
				emit(float64(outcomes.Succeeded), s.Name, verb, "success")
				emit(float64(outcomes.Failed.Total()), s.Name, verb, "failure")
			}
		},
	},
	{
		"informergen_informer_failures_total", "Lists, watch-lists and watches that have failed, by the class of the error.",
		prometheus.CounterValue, []string{"informer", "class"},
		func(s cache.Status, emit func(float64, ...string)) {
			var all failure.Counts
			for _, outcomes := range verbs(s) {
				all = all.Plus(outcomes.Failed)
			}
			for class, n := range all.All() {
				emit(float64(n), s.Name, label(class))
			}
		},
	},
	{
		"informergen_informer_relists_total", "Lists of all objects after the first one, by the class of the error that led to them.",
		prometheus.CounterValue, []string{"informer", "reason"},
		func(s cache.Status, emit func(float64, ...string)) {
			for class, n := range s.RelistReasons.All() {
				emit(float64(n), s.Name, label(class))
			}
		},
	},
	counter("informer_reconnects_total", "Watches that the server has opened where another one ended.",
		func(s cache.Status) float64 { return float64(s.Reconnects) }),
	counter("informer_object_errors_total", "How often an object was left out of the store or an index.",
		func(s cache.Status) float64 { return float64(s.ObjectErrors) }),

	ofHandlers("handler_backlog", "Events that wait for the handler.",
		prometheus.GaugeValue, func(h cache.HandlerStatus) float64 { return float64(h.Backlog) }),
	ofHandlers("handler_lag_seconds", "How long ago the store made the change with which the handler is being called; 0 if it is not.",
		prometheus.GaugeValue, func(h cache.HandlerStatus) float64 { return h.Lag.Seconds() }),
	ofHandlers("handler_longest_call_seconds", "How long the longest call took, or takes.",
		prometheus.GaugeValue, func(h cache.HandlerStatus) float64 { return h.LongestCall.Seconds() }),
	ofHandlers("handler_calls_total", "Calls of the handler.",
		prometheus.CounterValue, func(h cache.HandlerStatus) float64 { return float64(h.Delivered) }),
	ofHandlers("handler_panics_total", "Calls of the handler that ended in a panic.",
		prometheus.CounterValue, func(h cache.HandlerStatus) float64 { return float64(h.Panics) }),
	ofHandlers("handler_last_panic_timestamp_seconds", "When the last call ended in a panic; 0 if none did.",
		prometheus.GaugeValue, func(h cache.HandlerStatus) float64 { return seconds(h.LastPanic) }),
}

// stale returns Status.Stale in seconds. It is zero for an informer of another module, which has no times.
func stale(s cache.Status) float64 {
	if s.Started.IsZero() {
		return 0
	}
	return s.Stale().Seconds()
}

// label returns a class as a value of a label.
func label(class failure.Class) string { return strings.ReplaceAll(class.String(), " ", "_") }

// verbs returns the outcomes of an informer's requests by the value of the label "verb".
func verbs(s cache.Status) map[string]failure.Outcomes {
	return map[string]failure.Outcomes{"list": s.Lists, "watchlist": s.WatchLists, "watch": s.Watches}
}

func gauge(name, help string, value func(cache.Status) float64) metric[cache.Status] {
	return ofInformer(name, help, prometheus.GaugeValue, value)
}

func counter(name, help string, value func(cache.Status) float64) metric[cache.Status] {
	return ofInformer(name, help, prometheus.CounterValue, value)
}

// ofInformer returns a metric with one value for each informer.
func ofInformer(name, help string, kind prometheus.ValueType, value func(cache.Status) float64) metric[cache.Status] {
	return metric[cache.Status]{"informergen_" + name, help, kind, []string{"informer"},
		func(s cache.Status, emit func(float64, ...string)) { emit(value(s), s.Name) }}
}

// ofHandlers returns a metric with one value for each handler.
func ofHandlers(name, help string, kind prometheus.ValueType, value func(cache.HandlerStatus) float64) metric[cache.Status] {
	return metric[cache.Status]{"informergen_" + name, help, kind, []string{"informer", "handler"},
		func(s cache.Status, emit func(float64, ...string)) {
			for _, h := range s.Handlers {
				emit(value(h), s.Name, h.Name)
			}
		}}
}
