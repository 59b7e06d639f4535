package main

import (
	"fmt"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// shards is what a shard of the pods takes beside all of them, in place of client-go's side,
// and several streams beside one. A replica that has one of eight shards has to take at the
// most 30 % of the CPU and 15 % of the heap, also if the server sends it all pods.
func shards(s scale) []workload {
	const replicas = 8
	var all []workload
	for _, mode := range []ingestMode{ingestModes[0], ingestModes[2]} {
		for _, filters := range []bool{false, true} {
			f := feed{Pods: pods.Population{Size: s.pods}, Events: s.podEvents, WatchList: mode.watchList, Encoding: mode.encoding, Filters: filters}
			whole := ingester{Feed: f, Ours: true}
			part := whole
			part.Shards = replicas
			all = append(all, workload{
				name:   fmt.Sprintf("shards/one-of-%d/%s/filters=%v/pods=%d", replicas, mode, filters, s.pods),
				theirs: whole.benchmark, ours: part.benchmark,
				show: []measure{
					{unit: ingestCPU, times: 3.33}, {unit: ingestPeak}, {unit: ingestHeap, times: 6.67}, {unit: eventCPU},
				},
			})
		}
	}
	for _, mode := range []ingestMode{ingestModes[0], ingestModes[2]} {
		const streams = 2 // as many as the machine of these measurements has processors
		f := feed{Pods: pods.Population{Size: s.pods}, WatchList: mode.watchList, Encoding: mode.encoding, Filters: true}
		one := ingester{Feed: f, Ours: true}
		several := one
		several.Feed.Lists, several.Streams = streams, streams
		all = append(all, workload{
			name:   fmt.Sprintf("shards/%d-streams/%s/pods=%d", streams, mode, s.pods),
			theirs: one.benchmark, ours: several.benchmark,
			show: []measure{{unit: ingestTime}, {unit: ingestCPU}},
		})
	}
	for i := range all {
		if s.pods > 1_000 {
			all[i].rounds = 1
		}
	}
	return all
}
