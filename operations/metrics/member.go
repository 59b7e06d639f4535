package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informer-gen/informer-gen/operations/membership"
)

// Member has the method of an operations/membership Member that a collector calls.
type Member interface {
	Status() membership.Status
}

// NewMemberCollector returns a collector of a member. The label "group" has the name of its group. Two
// members in one registry must be in different groups.
func NewMemberCollector(m Member) prometheus.Collector {
	return newCollector(memberMetrics, prometheus.Labels{"group": m.Status().Group}, func() []membership.Status {
		return []membership.Status{m.Status()}
	})
}

var memberMetrics = []metric[membership.Status]{
	ofMember("active", "Whether the member may own slots (1), or not (0): it could not renew its life or list the slots, or another living member has its identity.",
		prometheus.GaugeValue, func(s membership.Status) float64 { return number(s.Phase == membership.Active) }),
	ofSlots("slots", "Slots, by state: this member owns them, should gain them or has to give them up (losing), or no member is known to own them (unowned).",
		func(s membership.SlotsStatus) float64 { return float64(s.Count) }),
	ofSlots("slots_seconds", "For how long there have been slots in this state, 0 if there are none.",
		func(s membership.SlotsStatus) float64 { return since(s.Since) }),
	ofMember("life_age_seconds", "For how long the member has not renewed its life.",
		prometheus.GaugeValue, func(s membership.Status) float64 { return since(s.Renewed) }),
	{
		"informergen_member_moves_total", "Slots that the member has gained, and that it has given up or lost.",
		prometheus.CounterValue, []string{"direction"},
		func(s membership.Status, emit func(float64, ...string)) {
			emit(float64(s.Gained), "gained")
			emit(float64(s.Lost), "lost")
		},
	},
	ofMember("holding_up_works", "Works that run in slots that are to be given up.",
		prometheus.GaugeValue, func(s membership.Status) float64 { return float64(s.HoldingUp) }),
	ofMember("failures_total", "Requests of the member that failed.",
		prometheus.CounterValue, func(s membership.Status) float64 { return float64(s.Failures) }),
}

// since returns the seconds since a state began, and 0 for the zero time.
func since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return time.Since(t).Seconds()
}

// ofMember returns a metric with one value for the member.
func ofMember(name, help string, kind prometheus.ValueType, value func(membership.Status) float64) metric[membership.Status] {
	return metric[membership.Status]{"informergen_member_" + name, help, kind, nil,
		func(s membership.Status, emit func(float64, ...string)) { emit(value(s)) }}
}

// ofSlots returns a metric with one value for each state of slots.
func ofSlots(name, help string, value func(membership.SlotsStatus) float64) metric[membership.Status] {
	return metric[membership.Status]{"informergen_member_" + name, help, prometheus.GaugeValue, []string{"state"},
		func(s membership.Status, emit func(float64, ...string)) {
			emit(value(s.Owned), "owned")
			emit(value(s.Gaining), "gaining")
			emit(value(s.Losing), "losing")
			emit(value(s.Unowned), "unowned")
		}}
}
