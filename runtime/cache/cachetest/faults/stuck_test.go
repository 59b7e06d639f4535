package faults_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	v1 "k8s.io/api/core/v1"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

const stuckPreamble = `
## A handler that never returns

How many of 2000 states of two pods are kept in memory for a handler that was called
with the first object of the initial list, and does not return.

| handler | of | states |
|---|---|---|
`

// stuckRows say what a handler that does not return keeps in memory.
var stuckRows = []struct {
	name string
	implementation
	options core.HandlerOptions
	// removed says that the handler is removed before the changes.
	removed bool
	holds   count
}{
	{name: "in order", implementation: typed, holds: exactly(changes)},
	{name: "in order, with a limit of 100 events", implementation: typed, options: core.HandlerOptions{Limit: 100}, holds: count{0, segment}},
	{name: "in order, removed meanwhile", implementation: typed, removed: true, holds: count{0, segment}},
	{name: "coalescing from 100 events on", implementation: typed, options: core.HandlerOptions{Coalesce: true, Limit: 100}, holds: count{0, 200}},
	{name: "in order", implementation: clientGo, holds: exactly(changes)},
	{name: "in order, removed meanwhile", implementation: clientGo, removed: true, holds: exactly(0)},
}

// changes is the number of changes while the handler is stuck.
const changes = 2000

// segment is the number of events that share a piece of memory.
const segment = 64

func TestStuckHandler(t *testing.T) {
	for _, r := range stuckRows {
		t.Run(r.implementation.Name+" "+r.name, func(t *testing.T) {
			if !slices.ContainsFunc(compared, func(i implementation) bool { return i.Name == r.implementation.Name }) {
				t.Skip("the rows are of newer ones")
			}
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, r.implementation, row{listing: true})
				remove := w.handle(r.options, func(*v1.Pod) { time.Sleep(time.Hour) })
				var seen states
				w.handle(core.HandlerOptions{}, seen.add)
				w.run()
				w.pass(time.Second)
				if r.removed {
					remove()
				}
				for range changes / 2 {
					w.update("a")
					w.update("b")
					w.pass(time.Millisecond)
				}
				if held := seen.alive() - len(w.stored()); !r.holds.holds(held) {
					t.Errorf("%d states are held, want %v", held, r.holds)
				}
			})
		})
	}
}

// states are objects, if they are still in memory.
type states struct {
	mu   sync.Mutex
	pods []weak.Pointer[v1.Pod]
}

func (s *states) add(pod *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pods = append(s.pods, weak.Make(pod))
}

func (s *states) alive() int {
	runtime.GC()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, pod := range s.pods {
		if pod.Value() != nil {
			n++
		}
	}
	return n
}
