package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// ingest measures the cost of taking objects in: lists and watches of pods as API servers send them, with
// each side, and the server, in a process of its own.
func ingest(s scale) []workload {
	var (
		all []workload
		add = func(mode ingestMode, population string, of pods.Population, sizes ...int) {
			for _, n := range sizes {
				of.Size = n
				all = append(all, mode.workload(population, of, s.podEvents))
			}
		}
		replicas = "replicas"
	)
	for _, mode := range ingestModes {
		add(mode, replicas, pods.Population{}, s.pods)
	}
	asList := listInJSON.withoutGoals()
	add(asList, "fixed-volumes", pods.Population{FixedVolumes: true}, s.pods)
	for _, mode := range ingestModes {
		add(mode.withoutGoals(), "distinct", pods.Population{Distinct: true}, s.pods)
	}
	for _, mode := range ingestModes {
		mode.through = manager
		add(mode.withoutGoals(), string(manager), pods.Population{}, s.pods)
	}
	for _, through := range []way{importLine, clientset} {
		for _, mode := range []ingestMode{watchListInProtobuf, watchListInJSON} {
			mode.through = through
			add(mode.withoutGoals(), string(through), pods.Population{}, s.pods)
		}
	}
	for _, n := range s.podsPlotted {
		if n != s.pods {
			add(asList.withoutEvents(), replicas, pods.Population{}, n)
		}
	}
	return all
}

// ingestMode is a way to take objects in, and what to show of it.
type ingestMode struct {
	watchList bool
	encoding  encoding
	// through is the way to the informers.
	through way
	// sync are the measures of the first list, and events the measures of the watch events after it.
	sync, events []measure
}

const (
	ingestCPU  = "cpu-ns"
	ingestPeak = "peak-RSS-B"
	ingestHeap = "heap-B"
	eventCPU   = "cpu/event-ns"
	eventHeap  = "heap-after-events-B"
	ingestTime = "sync-ns"
)

// The modes. listInJSON is the one that is plotted.
var (
	watchListInProtobuf = ingestMode{watchList: true, encoding: inProtobuf, sync: syncGoals(0, 0, 0), events: eventGoals(1)}
	listInProtobuf      = ingestMode{encoding: inProtobuf, sync: syncGoals(1, 2, 4), events: eventGoals(1)}
	watchListInJSON     = ingestMode{watchList: true, encoding: inJSON, sync: syncGoals(6, 3, 4), events: eventGoals(8)}
	listInJSON          = ingestMode{encoding: inJSON, sync: syncGoals(3, 3, 4), events: eventGoals(8)}
)

// ingestModes are all of them, the default of clients of built-in types first.
var ingestModes = []ingestMode{watchListInProtobuf, listInProtobuf, watchListInJSON, listInJSON}

func syncGoals(cpu, peak, heap float64) []measure {
	return []measure{{unit: ingestCPU, times: cpu}, {unit: ingestPeak, times: peak}, {unit: ingestHeap, times: heap}}
}

func eventGoals(cpu float64) []measure {
	return []measure{{unit: eventCPU, times: cpu}, {unit: eventHeap}}
}

// withoutGoals returns the mode for pods or sizes that the goals do not speak of.
func (m ingestMode) withoutGoals() ingestMode {
	m.sync, m.events = syncGoals(0, 0, 0), eventGoals(0)
	return m
}

// withoutEvents returns the mode without what comes after the first list.
func (m ingestMode) withoutEvents() ingestMode {
	m.events = nil
	return m
}

// String returns the mode as names of workloads have it.
func (m ingestMode) String() string {
	if m.watchList {
		return "watch-list/" + m.encoding.String()
	}
	return "list/" + m.encoding.String()
}

func (m ingestMode) workload(population string, of pods.Population, events int) workload {
	if m.events == nil {
		events = 0
	}
	f := feed{Pods: of, Events: events, WatchList: m.watchList, Encoding: m.encoding}
	w := workload{
		name:   fmt.Sprintf("ingest/%s/%s/pods=%d", population, m, of.Size),
		theirs: ingester{Feed: f, Through: m.through}.benchmark,
		ours:   ingester{Feed: f, Through: m.through, Ours: true}.benchmark,
		show:   slices.Concat(m.sync, m.events),
	}
	if of.Size > 1_000 {
		w.rounds = 1 // it takes minutes, and varies little
	}
	return w
}

// benchmark runs an ingester until the benchmark has had enough.
func (i ingester) benchmark(b *testing.B) {
	host, err := hostOf(i.Feed)
	check(b, err)
	var result ingested
	for b.Loop() {
		feeding.readers++
		i.Host = fmt.Sprintf("%s/%d", host, feeding.readers)
		result, err = i.run()
		check(b, err)
	}
	b.ReportMetric(float64(result.CPU), ingestCPU)
	b.ReportMetric(float64(result.Peak), ingestPeak)
	b.ReportMetric(result.Heap, ingestHeap)
	b.ReportMetric(float64(result.EventCPU), eventCPU)
	b.ReportMetric(result.HeapAfter, eventHeap)
	b.ReportMetric(float64(result.Took), ingestTime)
	b.ReportMetric(result.Received, "sync-B")
	b.ReportMetric(result.EventReceived, "event-B")
}

// feeding is the feed that runs, once there is one: it takes seconds to encode.
var feeding struct {
	feed
	host string
	// readers counts those that it has had.
	readers int
	stop    func()
}

// hostOf returns where a feed is, alone: other servers use memory and time.
func hostOf(f feed) (string, error) {
	if feeding.stop != nil && feeding.feed == f {
		return feeding.host, nil
	}
	stopServer()
	cmd, err := process("feed", f)
	if err != nil {
		return "", err
	}
	stop, err := serve(cmd, &feeding.host)
	if err == nil {
		feeding.feed, feeding.stop = f, stop
	}
	return feeding.host, err
}
