package main

import (
	"fmt"
	"testing"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// ingest is what it takes to take objects in: lists and watches of pods as API servers send
// them, with each side, and the server, in a process of its own.
func ingest(s scale) []workload {
	var all []workload
	for _, p := range []struct {
		name string
		pods.Population
	}{
		{"replicas", pods.Population{}},
		{"fixed-volumes", pods.Population{FixedVolumes: true}},
		{"distinct", pods.Population{Distinct: true}},
	} {
		for _, e := range []encoding{inJSON, inProtobuf} {
			for _, watchList := range []bool{false, true} {
				mode := "list"
				if watchList {
					mode = "watch-list"
				}
				for _, n := range s.pods {
					f := feed{Pods: p.Population, WatchList: watchList, Encoding: e, Events: s.podEvents}
					f.Pods.Size = n
					w := workload{
						name:   fmt.Sprintf("ingest/%s/%s/%s/pods=%d", p.name, mode, e, n),
						theirs: ingesting(f, false), ours: ingesting(f, true),
						show: []measure{{unit: "cpu-ns"}, {unit: "peak-RSS-B"}, {unit: "heap-B"}, {unit: "cpu/event-ns"}, {unit: "heap-after-B"}},
					}
					all = append(all, w)
				}
			}
		}
	}
	return all
}

// ingesting runs an ingester until the benchmark has had enough.
func ingesting(f feed, ours bool) func(*testing.B) {
	return func(b *testing.B) {
		host, err := hostOf(f)
		check(b, err)
		var result ingested
		for b.Loop() {
			feeding.readers++
			result, err = ingester{Host: fmt.Sprintf("%s/%d", host, feeding.readers), Feed: f, Ours: ours}.run()
			check(b, err)
		}
		b.ReportMetric(float64(result.CPU), "cpu-ns")
		b.ReportMetric(float64(result.Peak), "peak-RSS-B")
		b.ReportMetric(result.Heap, "heap-B")
		b.ReportMetric(float64(result.EventCPU), "cpu/event-ns")
		b.ReportMetric(result.HeapAfter, "heap-after-B")
	}
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
