package main

import (
	"fmt"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// shards compares the cost of a shard of the pods with the cost of all of them, in place of client-go's
// side. A replica that has one of eight shards may take at most 30 % of the CPU and 15 % of the heap. That
// holds also if the server sends it all pods.
func shards(s scale) []workload {
	const replicas = 8
	var all []workload
	for _, mode := range []ingestMode{listInProtobuf, listInJSON} {
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
	for i := range all {
		if s.pods > 1_000 {
			all[i].rounds = 1
		}
	}
	return all
}
