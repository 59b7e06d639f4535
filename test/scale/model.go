package main

import (
	"math"
	"time"
)

// assumed holds values that are not measured: properties of machines and of etcd.
var assumed = struct {
	// Siblings is the number of pods of a deployment that have the same parts (test/bench/pods).
	Siblings float64
	// GC is the ratio of resident memory to the live heap with GOGC=100.
	GC float64
	// Memory is the memory of a replica, and EtcdSize the largest size that etcd suggests, in bytes.
	Memory, EtcdSize float64
	// Cores is the number of the API server's cores for lists, and Bandwidth its bandwidth in bytes per
	// second.
	Cores, Bandwidth float64
	// History is the number of events that the watch cache of an API server keeps.
	History float64
	// RequestTimeout is for how long an API server answers a LIST.
	RequestTimeout time.Duration
	// TakeOver is until the ranges of a replica that died have another owner: a Lease of 15 s,
	// and two seconds.
	TakeOver time.Duration
}{100, 2, 4 << 30, 8 << 30, 8, 1.25e9, 100 << 10, time.Minute, 17 * time.Second}

// plan is a group of replicas that have the objects of a resource between them.
type plan struct {
	Class, Format string
	Objects       float64
	Replicas      int
	// Filters reports whether the API server knows selectors of shards.
	Filters bool
	// Contiguous replicas have one range each, the i-th of n. Other replicas have some of 64.
	Contiguous bool
	// Rate is the number of watch events in a second.
	Rate float64
}

// forecast holds the consequences of a plan. Times are in seconds, sizes in bytes.
type forecast struct {
	// Owned and Received are the parts of all objects that the fullest replica has, and that
	// the server sends to it.
	Owned, Received float64
	// Heap is live, and Resident with garbage.
	Heap, Resident float64
	// ListCPU and ListBytes are of the first list of a replica, ServerCPU of all of them.
	ListCPU, ListBytes, ServerCPU float64
	// Sync is the time until all replicas are in sync at the least, if they start at once.
	Sync float64
	// EventCores, EventBytes are of a replica in a second, ServerCores and ServerBytes of the
	// API server.
	EventCores, EventBytes, ServerCores, ServerBytes float64
}

func (m measured) forecast(p plan) forecast {
	c := m.shardCost(p.Class, p.Format, p.Replicas)
	f := forecast{Owned: 1 / float64(p.Replicas), Received: 1}
	terms := 1
	if !p.Contiguous {
		f.Owned, f.Received, terms = fullest(p.Replicas)
	} else {
		f.Received = f.Owned
	}
	match := m.match(terms)
	if !p.Filters || p.Replicas == 1 {
		f.Received, match = 1, 0
	}
	own, dropped, n := f.Owned*p.Objects, (f.Received-f.Owned)*p.Objects, float64(p.Replicas)
	f.Heap = own * c.Heap
	f.Resident = f.Heap * assumed.GC
	f.ListCPU = (own*c.List + dropped*c.ListDropped) / 1e9
	f.ListBytes = f.Received * p.Objects * c.Size
	f.ServerCPU = n * p.Objects * (match + f.Received*c.Encode) / 1e9
	serial := f.ServerCPU / n // a list is one goroutine
	f.Sync = max(f.ListCPU, serial, f.ServerCPU/assumed.Cores, n*f.ListBytes/assumed.Bandwidth)
	f.EventCores = p.Rate * (f.Owned*c.Event + (f.Received-f.Owned)*c.EventDropped) / 1e9
	f.EventBytes = p.Rate * f.Received * c.Size
	f.ServerCores = p.Rate * (c.Encode + n*match) / 1e9 // an event is encoded once for all watches
	f.ServerBytes = n * f.EventBytes
	return f
}

// shardCost returns the costs of objects in one of n shards. The parts that the pods of a
// deployment have in common are held, and decoded, once in each shard that has one of them.
func (m measured) shardCost(class, format string, n int) cost {
	c := m.Costs[class][format]
	if class != replicaPods {
		return c
	}
	alone, share := m.Costs[distinctPods][format], copies(assumed.Siblings, float64(n))
	between := func(together, alone float64) float64 {
		common := max(0, alone-together) / (1 - 1/assumed.Siblings)
		return together + common*(share-1/assumed.Siblings)
	}
	c.List, c.Heap = between(c.List, alone.List), between(c.Heap, alone.Heap)
	return c
}

// copies returns how many of n shards have one of some siblings, by sibling.
func copies(siblings, n float64) float64 {
	return n * (1 - math.Pow(1-1/n, siblings)) / siblings
}

// match is the cost of a selector of that many ranges: a line through what is measured.
func (m measured) match(terms int) float64 {
	return m.Match[1] + (m.Match[32]-m.Match[1])*float64(terms-1)/31
}

// limits are where a replica or the server's side ends.
type limits struct {
	// ByMemory is the number of objects that a replica can hold. ByEvents is the rate of events for its own
	// objects at which it has a core full, and ByDropped the same for other replicas' objects.
	ByMemory, ByEvents, ByDropped float64
	// ByTimeout is the number of objects that a replica takes in from one LIST until the LIST ends.
	ByTimeout float64
	// ByEtcd is the number of objects that etcd holds, and ServerHeap the heap of an API server for ten
	// million objects that share nothing.
	ByEtcd, ServerHeap float64
	// History is for how long a watch cache keeps events at 10,000 in a second, in seconds.
	History float64
}

func (m measured) limits(class, format string) limits {
	c, alone := m.Costs[class][format], m.Costs[class]["protobuf"]
	if class == replicaPods {
		alone = m.Costs[distinctPods]["protobuf"]
	}
	return limits{
		ByMemory: assumed.Memory / assumed.GC / c.Heap, ByEvents: 1e9 / c.Event, ByDropped: 1e9 / c.EventDropped,
		ByTimeout: assumed.RequestTimeout.Seconds() * 1e9 / max(c.List, c.Encode),
		ByEtcd:    assumed.EtcdSize / m.Costs[class]["protobuf"].Size, ServerHeap: wanted * alone.Heap,
		History: assumed.History / rate,
	}
}

const (
	// wanted is the number of objects that the page is about, and rate the number of events in a second.
	wanted, rate = 10_000_000, 10_000
)
