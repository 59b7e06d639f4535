package main

import (
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// fanout is events on their way from the watch to handlers. Times are per event.
func fanout(s scale) []workload {
	var all []workload
	for _, handlers := range s.handlers {
		name := fmt.Sprintf("fanout/handlers=%d", handlers)
		w := compared(name, func(m maker) func(*testing.B) { return toHandlers(m, handlers) })
		w.show = []measure{{unit: nanoseconds, times: fanoutGoals[handlers]}, {unit: allocated}, {unit: allocations}}
		all = append(all, w)
		if handlers == 10 {
			all = append(all, workload{name: "fanout/drop-in/handlers=10", theirs: w.theirs, ours: toHandlers(dropIn, handlers)})
		}
	}
	return append(all,
		compared(fmt.Sprintf("fanout/burst=%d", s.burst), func(m maker) func(*testing.B) { return toOne(m, s.burst) }),
		compared("fanout/slow=1/fast=10", oneSlow),
		compared(fmt.Sprintf("fanout/late/objects=%d", s.written), func(m maker) func(*testing.B) { return joining(m, s.written) }))
}

// fanoutGoals are by number of handlers.
var fanoutGoals = map[int]float64{1: 4, 10: 8, 50: 20}

// compared measures the same with informers of both.
func compared(name string, measured func(maker) func(*testing.B)) workload {
	return workload{name: name, theirs: measured(theirMaker), ours: measured(ourMaker)}
}

// inFlight is the default number of events that the watch holds.
const inFlight = 1000

// changesOf returns so many changes of things, each a newer state than the last
// one of its thing.
func changesOf(n int) []watch.Event {
	events := make([]watch.Event, n)
	for i := range events {
		t := *things(inFlight)[i%inFlight]
		t.ResourceVersion = fmt.Sprint(i + 2)
		events[i] = watch.Event{Type: watch.Modified, Object: &t}
	}
	return events
}

// toHandlers sends changes to handlers, so many at a time as the watch holds.
func toHandlers(m maker, handlers int) func(*testing.B) {
	return func(b *testing.B) {
		events := changesOf(4 * inFlight)
		s := &script{events: make(chan watch.Event, inFlight)}
		var seen sync.WaitGroup
		n := 0
		all := make([]toolscache.ResourceEventHandler, handlers)
		for i := range all {
			all[i] = onChange(every(&n, seen.Done))
		}
		start(b, m.informer(s, nil), all...)
		b.ReportAllocs()
		b.ResetTimer()
		for sent := 0; sent < b.N; {
			n = min(inFlight, b.N-sent)
			seen.Add(handlers)
			for range n {
				s.events <- events[sent%len(events)]
				sent++
			}
			seen.Wait()
		}
	}
}

// every returns a function that calls do at each n-th call. It counts in memory of
// its own: a counter of all handlers would take as long as to tell them.
func every(n *int, do func()) func() {
	var count struct {
		calls int
		_     [120]byte // two cache lines, which processors fetch together
	}
	return func() {
		if count.calls++; count.calls == *n {
			count.calls = 0
			do()
		}
	}
}

// onChange is a handler that calls do for whatever it is told but deletions.
func onChange(do func()) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { do() }, UpdateFunc: func(any, any) { do() }}
}

// toOne sends a whole burst to one handler before it waits for it.
func toOne(m maker, burst int) func(*testing.B) {
	return func(b *testing.B) {
		events := changesOf(burst)
		s := &script{events: make(chan watch.Event, burst)}
		var seen sync.WaitGroup
		start(b, m.informer(s, nil), onChange(seen.Done))
		for b.Loop() {
			seen.Add(burst)
			for _, e := range events {
				s.events <- e
			}
			seen.Wait()
		}
		perObject(b, burst)
	}
}

// oneSlow sends changes to ten handlers, beside one that has not come back from
// its first yet.
func oneSlow(m maker) func(*testing.B) {
	const fast = 10
	return func(b *testing.B) {
		events := changesOf(inFlight)
		s := &script{events: make(chan watch.Event, inFlight)}
		var seen sync.WaitGroup
		released := make(chan struct{})
		all := []toolscache.ResourceEventHandler{onChange(func() { <-released })}
		for range fast {
			all = append(all, onChange(seen.Done))
		}
		start(b, m.informer(s, nil), all...)
		for b.Loop() {
			seen.Add(inFlight * fast)
			for _, e := range events {
				s.events <- e
			}
			seen.Wait()
		}
		perObject(b, inFlight)
		close(released)
	}
}

// joining adds a handler to an informer of n things, and waits until it was told
// of all.
func joining(m maker, n int) func(*testing.B) {
	return func(b *testing.B) {
		informer := m.informer(&script{things: things(n)}, nil)
		start(b, informer)
		for b.Loop() {
			var seen sync.WaitGroup
			seen.Add(n)
			registration, err := informer.AddEventHandler(onChange(seen.Done))
			check(b, err)
			seen.Wait()
			b.StopTimer()
			check(b, informer.RemoveEventHandler(registration))
			b.StartTimer()
		}
		perObject(b, n)
	}
}
