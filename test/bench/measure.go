package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/test/bench/chart"
)

// measure is a unit of a workload's results, and the goal for it. The zero goal
// is none.
type measure struct {
	unit string
	// times is the goal for the ratio of the two: how often ours goes into theirs, or theirs into ours if
	// more is better.
	times float64
	// ofFloor is a multiple of the floor that is good as well, whatever times says.
	ofFloor float64
	// atMost and atLeast are about ours alone; none is that there is nothing.
	atMost, atLeast float64
	none            bool
}

// result is the outcome of a workload in one unit: medians of the rounds.
type result struct {
	Workload string  `json:"workload"`
	Unit     string  `json:"unit"`
	Theirs   float64 `json:"theirs"`
	Ours     float64 `json:"ours"`
	Floor    float64 `json:"floor,omitempty"`
	// Ratio says how much better ours is. It is the median of the ratios of each round, in which both had
	// the same neighbours on the machine.
	Ratio float64 `json:"ratio"`
	// ofFloor is the ratio of ours to the floor, by round.
	ofFloor float64
	Goal    string `json:"goal,omitempty"`
	Met     bool   `json:"met,omitempty"`
}

// run measures a workload in rounds of theirs, ours and the floor, every other time in the reverse order,
// since a later side finds memory that is there already.
func run(w workload) ([]result, error) {
	var theirs, ours, floor []testing.BenchmarkResult
	sides := []side{{w.theirs, &theirs}, {w.ours, &ours}, {w.floor, &floor}}
	for range w.rounds {
		for _, s := range sides {
			if s.do == nil {
				continue
			}
			r, err := once(w, s.do)
			if err != nil {
				return nil, err
			}
			*s.results = append(*s.results, r)
		}
		slices.Reverse(sides)
	}
	results := make([]result, len(w.show))
	for i, m := range w.show {
		results[i] = m.result(w.name, values(theirs, m.unit), values(ours, m.unit), values(floor, m.unit))
	}
	return results, nil
}

// side is one side of a workload, and its results.
type side struct {
	do      func(*testing.B)
	results *[]testing.BenchmarkResult
}

// once measures one side of a workload.
func once(w workload, do func(*testing.B)) (testing.BenchmarkResult, error) {
	if err := flag.Set("test.benchtime", w.time.String()); err != nil {
		return testing.BenchmarkResult{}, err
	}
	failure = nil
	r := testing.Benchmark(do)
	if failure != nil {
		return r, fmt.Errorf("workload %s: %w", w.name, failure)
	}
	return r, nil
}

// failure is why the last benchmark failed: testing.Benchmark does not say.
var failure error

// check ends a benchmark with an error, if it is one.
func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		failure = err
		b.Fatal(err)
	}
}

func values(results []testing.BenchmarkResult, unit string) []float64 {
	all := make([]float64, len(results))
	for i, r := range results {
		reported, ok := r.Extra[unit]
		switch {
		case ok:
			all[i] = reported
		case unit == nanoseconds:
			all[i] = float64(r.T.Nanoseconds()) / float64(r.N)
		case unit == allocations:
			all[i] = float64(r.AllocsPerOp())
		case unit == allocated:
			all[i] = float64(r.AllocedBytesPerOp())
		}
	}
	return all
}

func (m measure) result(workload string, theirs, ours, floor []float64) result {
	better, worse := theirs, ours
	if rising(m.unit) {
		better, worse = ours, theirs
	}
	r := result{
		Workload: workload, Unit: m.unit, Goal: m.String(),
		Theirs: median(theirs), Ours: median(ours), Floor: median(floor),
		Ratio: median(ratios(better, worse)), ofFloor: median(ratios(ours, floor)),
	}
	r.Met = m.met(r)
	return r
}

// ratios divides number by number. Two zeros are alike, and what is more than
// zero is more by any factor.
func ratios(a, b []float64) []float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		switch {
		case a[i] == b[i]:
			all[i] = 1
		case b[i] == 0:
			all[i] = math.MaxFloat64
		default:
			all[i] = a[i] / b[i]
		}
	}
	return all
}

// median returns the middle one, the lower of two; zero if there is none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}

// met reports whether a result reaches the goal.
func (m measure) met(r result) bool {
	switch {
	case m.none && r.Ours >= 1,
		m.atMost > 0 && r.Ours > m.atMost,
		m.atLeast > 0 && r.Ours < m.atLeast:
		return false
	case m.times > 0 && r.Ratio < m.times:
		return m.ofFloor > 0 && r.ofFloor <= m.ofFloor
	}
	return true
}

// String returns the goal in words; "" if there is none.
func (m measure) String() string {
	var parts []string
	add := func(wanted bool, format string, args ...any) {
		if wanted {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(m.none, "0")
	add(m.atMost > 0, "≤ %s", chart.Quantity(m.atMost, m.unit))
	add(m.atLeast > 0, "≥ %s", chart.Quantity(m.atLeast, m.unit))
	add(m.times > 0, "%gx", m.times)
	goal := strings.Join(parts, ", ")
	if m.ofFloor > 0 {
		goal += fmt.Sprintf(" or %gx floor", m.ofFloor)
	}
	return goal
}
