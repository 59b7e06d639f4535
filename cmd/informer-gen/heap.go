package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// smallHeap is the size in bytes up to which the heap grows before garbage is collected. Most runs never
// need more; Go alone would collect theirs dozens of times, from 4 MB on.
const smallHeap = 10 << 20

// growthPercent limits the growth of a larger heap between collections: 100 would take a tenth less time and
// a tenth more memory.
const growthPercent = 70

// tuneHeap says when garbage is collected, unless the environment does.
func tuneHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent(4 << 20)) // the size that Go takes for the least
		tuneAfterGC()
	}
}

// tuneAfterGC sets the percentage anew after each collection.
func tuneAfterGC() {
	type collected struct{ _ *int }
	runtime.SetFinalizer(new(collected), func(*collected) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(gcPercent(live[0].Value.Uint64()))
		tuneAfterGC()
	})
}

// gcPercent returns the growth up to the next collection, in percent of the bytes in use.
func gcPercent(live uint64) int {
	return max(growthPercent, int(100*smallHeap/max(live, 1<<20))-100)
}
