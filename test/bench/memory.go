package main

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
)

// memory measures the memory that is held while nothing happens.
func memory(s scale) []workload {
	var all []workload
	for _, indexes := range s.indexes {
		w := workload{
			name:   fmt.Sprintf("memory/object/indexes=%d", indexes),
			theirs: perStoredObject(theirWritable, s.written, indexes),
			ours:   perStoredObject(ourWritable, s.written, indexes),
			show:   []measure{{unit: "B/object"}},
		}
		if indexes == goalIndexes {
			w.show[0].atMost = 100
		}
		all = append(all, w)
	}
	handler := compared("memory/handler", perHandler)
	handler.show = []measure{{unit: "heap-B", atMost: 2048}, {unit: "stack-B"}, {unit: "goroutines", atMost: 1}}
	informer := compared("memory/informer", perInformer)
	informer.show = []measure{{unit: "heap-B"}, {unit: "stack-B"}, {unit: "goroutines"}}
	all = append(all, handler, informer)
	for i := range all {
		all[i].rounds = 3 // it hardly varies
	}
	return all
}

// perStoredObject measures the memory of a store for an object, without the object itself.
func perStoredObject(of writableOf, n, indexes int) func(*testing.B) {
	return func(b *testing.B) {
		objs := things(n)
		var used usage
		for b.Loop() {
			before := usageNow()
			store := of(b, indexes)
			store.replace(objs)
			used = usageNow().minus(before)
			runtime.KeepAlive(store)
		}
		b.ReportMetric(used.heap/float64(n), "B/object")
	}
}

// many is the number of handlers or informers that are measured together. A single one would cost next to
// nothing.
const many = 100

// perHandler measures the cost of an idle handler.
func perHandler(m maker) func(*testing.B) {
	return func(b *testing.B) {
		informer := m.informer(&script{}, nil)
		start(b, informer)
		var registrations []toolscache.ResourceEventHandlerRegistration
		var used usage
		for b.Loop() {
			before := usageNow()
			for range many {
				r, err := informer.AddEventHandler(onChange(func() {}))
				check(b, err)
				registrations = append(registrations, r)
			}
			used = usageNow().minus(before)
		}
		runtime.KeepAlive(registrations)
		used.report(b)
	}
}

// perInformer measures the cost of an informer of a resource without objects.
func perInformer(m maker) func(*testing.B) {
	return func(b *testing.B) {
		var used usage
		for b.Loop() {
			before := usageNow()
			for range many {
				start(b, m.informer(&script{}, nil))
			}
			used = usageNow().minus(before)
		}
		used.report(b)
	}
}

// usage is the bytes and goroutines in use.
type usage struct{ heap, stack, goroutines float64 }

// usageNow looks when goroutines are idle or have ended.
func usageNow() usage {
	time.Sleep(50 * time.Millisecond)
	runtime.GC()
	runtime.GC() // what the first has only found to be finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{heap: float64(m.HeapAlloc), stack: float64(m.StackInuse), goroutines: float64(runtime.NumGoroutine())}
}

func (u usage) minus(other usage) usage {
	return usage{u.heap - other.heap, u.stack - other.stack, u.goroutines - other.goroutines}
}

// report reports the usage of one of many.
func (u usage) report(b *testing.B) {
	b.ReportMetric(u.heap/many, "heap-B")
	b.ReportMetric(u.stack/many, "stack-B")
	b.ReportMetric(u.goroutines/many, "goroutines")
}
