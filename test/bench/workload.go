package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/test/bench/chart"
)

// workload is something that both runtimes are made to do, through their public
// API. Its functions are benchmarks like any other: what they do before b.Loop
// is not measured, and a metric that they report is a unit beside ns/op.
type workload struct {
	// name has a part for each kind of difference, joined by slashes.
	name string
	// theirs is client-go, ours this runtime, and floor, if a goal speaks of
	// it, the least that any runtime has to do.
	theirs, ours, floor func(b *testing.B)
	// show says what of the results to print; by default ns/op, without a goal.
	show []measure
	// rounds is the largest number of measurements, and time the least time of one. Zero means the scale's.
	rounds int
	time   time.Duration
}

const (
	nanoseconds = chart.Nanoseconds
	allocations = "allocs/op"
	allocated   = "B/op"
)

// scale says how much of everything there is.
type scale struct {
	// objects are the sizes of the stores that are read.
	objects []int
	// written is the size of the stores that are written, listed of those that
	// are listed during writes.
	written int
	listed  []int
	readers []int
	// handlers are the numbers of them that one event goes to.
	handlers []int
	indexes  []int
	// burst is the number of events that come at once.
	burst int
	// period is for how long to look at what runs by itself.
	period time.Duration
	// orders is the number of a server's orders, and inMemory reports whether it is one of cachetest
	// instead of a real one.
	orders   int
	inMemory bool
	// pods is the number of pods of a cluster that are taken in, and podEvents the number of watch events
	// that follow; podsPlotted are the sizes of clusters in plots.
	pods        int
	podsPlotted []int
	podEvents   int
	// started is the number of objects of each resource whose informers start together.
	started int
	// rounds and time are the number and the length of measurements by default; exactly is the rounds of
	// everything, if it is not zero.
	rounds  int
	exactly int
	time    time.Duration
}

var (
	full = scale{
		objects:     []int{1_000, 10_000, 100_000, 1_000_000},
		written:     100_000,
		listed:      []int{10_000, 40_000},
		readers:     []int{0, 1, 10, 40},
		handlers:    []int{1, 10, 50, 500},
		indexes:     []int{0, 1, 2, 3, 6},
		burst:       100_000,
		period:      300 * time.Millisecond,
		orders:      20_000,
		pods:        20_000,
		podsPlotted: []int{1_000, 5_000, 20_000, 100_000},
		podEvents:   20_000,
		started:     2_000,
		rounds:      5,
		time:        30 * time.Millisecond,
	}
	quick = scale{
		objects:     []int{1_000},
		written:     1_000,
		listed:      []int{1_000},
		readers:     []int{0, 2},
		handlers:    []int{1, 10},
		indexes:     []int{0, 2},
		burst:       2_000,
		period:      100 * time.Millisecond,
		orders:      200,
		pods:        100,
		podsPlotted: []int{50, 100},
		podEvents:   200,
		started:     20,
		inMemory:    true,
		rounds:      1,
		time:        time.Millisecond,
	}
)

// workloads returns all of them, in the order of the report.
func workloads(s scale) []workload {
	var all []workload
	for _, theme := range []func(scale) []workload{reads, writes, contention, fanout, latency, memory, whole, networks, ingest, starts, shards} {
		all = append(all, theme(s)...)
	}
	for i := range all {
		w := &all[i]
		w.time = cmp.Or(w.time, s.time)
		w.rounds = min(cmp.Or(w.rounds, s.rounds), s.rounds)
		if slices.ContainsFunc(w.show, func(m measure) bool { return m.times > 0 }) {
			w.rounds *= 3 // a goal is worth a closer look
		}
		w.rounds = cmp.Or(s.exactly, w.rounds)
		if len(w.show) == 0 {
			w.show = []measure{{unit: nanoseconds}}
		}
	}
	return all
}

// rising reports whether more of a unit is better.
func rising(unit string) bool { return strings.HasSuffix(unit, "/s") }
