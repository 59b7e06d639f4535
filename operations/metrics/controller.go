package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informer-gen/informer-gen/runtime/controller"
)

// Controller has the method of a runtime/controller Controller that a collector calls.
type Controller interface {
	Status() controller.Status
}

// NewControllerCollector returns a collector of a controller and its queue. The label "controller" has the
// controller's name. Two controllers in one registry must have different names.
func NewControllerCollector(c Controller) prometheus.Collector {
	return newCollector(controllerMetrics, prometheus.Labels{"controller": c.Status().Name}, func() []controller.Status {
		return []controller.Status{c.Status()}
	})
}

var controllerMetrics = []metric[controller.Status]{
	ofController("synced", "Whether the workers have started (1), or the controller waits for its informers or has stopped (0).",
		prometheus.GaugeValue, func(s controller.Status) float64 { return number(s.Synced) }),
	ofController("waiting_keys", "Keys that wait for a worker.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(s.Waiting) }),
	ofController("oldest_waiting_seconds", "For how long the first of the waiting keys has waited.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return s.Oldest.Seconds() }),
	ofController("waiting_live_keys", "Keys among the waiting ones with a live change, which lists and resyncs are not.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(s.WaitingLive) }),
	ofController("oldest_live_seconds", "For how long the first of the waiting keys with a live change has waited.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return s.OldestLive.Seconds() }),
	ofController("delayed_keys", "Keys that are reconciled later: after a backoff, or when a reconcile asked for it.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(s.Delayed) }),
	ofController("awaiting_write_keys", "Keys that wait for a store to have what they wrote, for a minute at most.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(s.AwaitingWrites) }),
	ofController("overdue_write_keys", "Keys whose store lacks what they wrote for more than a minute, at most 100: they are reconciled all the same.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(len(s.OverdueWrites)) }),
	ofController("overdue_writes_total", "How often a key was reconciled without its own writes, after a minute.",
		prometheus.CounterValue, func(s controller.Status) float64 { return float64(s.Overdue) }),
	ofController("terminal_keys", "Keys whose last reconcile had a terminal error, at most 100: they wait for a change.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(len(s.TerminalErrors)) }),
	ofController("running_keys", "Keys that are being reconciled.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return float64(len(s.Running)) }),
	ofController("longest_running_seconds", "For how long the longest of the running reconciles has run.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return longest(s.Running).Seconds() }),
	{
		"informergen_controller_reconciles_total", "Reconciles that have ended: with success, with an error that is retried, or with one that is not (terminal).",
		prometheus.CounterValue, []string{"outcome"},
		func(s controller.Status, emit func(float64, ...string)) {
			emit(float64(s.Succeeded), "success")
			emit(float64(s.Failed), "error")
			emit(float64(s.Terminal), "terminal")
		},
	},
	ofController("panics_total", "Reconciles that ended in a panic. They count as errors too.",
		prometheus.CounterValue, func(s controller.Status) float64 { return float64(s.Panicked) }),
	ofController("last_panic_timestamp_seconds", "When the last reconcile ended in a panic; 0 if none did.",
		prometheus.GaugeValue, func(s controller.Status) float64 { return seconds(s.LastPanic) }),
}

func longest(running []controller.Running) (longest time.Duration) {
	for _, r := range running {
		longest = max(longest, r.For)
	}
	return longest
}

// ofController returns a metric with one value for the controller.
func ofController(name, help string, kind prometheus.ValueType, value func(controller.Status) float64) metric[controller.Status] {
	return metric[controller.Status]{"informergen_controller_" + name, help, kind, nil,
		func(s controller.Status, emit func(float64, ...string)) { emit(value(s)) }}
}
