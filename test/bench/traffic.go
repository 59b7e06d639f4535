package main

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// traffic is an informer whose watch writes all the time, while readers list
// everything without pause: client-go's BenchmarkSharedIndexInformer.
type traffic struct {
	objects int
	// queued is the number of events that may be on their way to the handler.
	queued  int
	readers int
	// pause is the time that the watch waits between two events.
	pause time.Duration
	// period is for how long to look.
	period time.Duration
}

const (
	writesPerSecond = "writes/s"
	readsPerSecond  = "reads/s"
	p50, p99        = "p50-ns", "p99-ns"
)

// contention is about what readers and the writer do to each other.
func contention(s scale) []workload {
	var all []workload
	for _, objects := range s.listed {
		for _, queued := range []int{10, inFlight} {
			for _, readers := range s.readers {
				t := traffic{objects: objects, queued: queued, readers: readers, period: s.period}
				if readers >= 10 {
					t.period *= 3 // each of them has its turn in between
				}
				w := compared(fmt.Sprintf("contention/queued=%d/objects=%d/readers=%d", queued, objects, readers), t.measured)
				w.rounds = 3
				w.show = []measure{{unit: writesPerSecond, atLeast: t.goal()}, {unit: p99}}
				if readers > 0 {
					w.show = append(w.show, measure{unit: readsPerSecond})
				}
				all = append(all, w)
			}
		}
	}
	return all
}

// goal is the number of writes in a second that should be reached.
func (t traffic) goal() float64 {
	if t.objects == 10_000 && t.queued == inFlight && t.readers == 10 {
		return 50_000
	}
	return 0
}

// latency measures the time of an event from the watch to the handler, in a crowd and alone.
func latency(s scale) []workload {
	crowd := compared("latency/queued=1000", traffic{queued: inFlight, period: s.period}.measured)
	alone := compared("latency/every=1ms", traffic{queued: inFlight, pause: time.Millisecond, period: s.period}.measured)
	crowd.show = []measure{{unit: p50}, {unit: p99}}
	alone.show = crowd.show
	return []workload{crowd, alone}
}

func (t traffic) measured(m maker) func(*testing.B) {
	return func(b *testing.B) {
		s := &script{things: things(t.objects), events: make(chan watch.Event, t.queued)}
		informer := m.informer(s, indexers(1))
		w := &writer{events: s.events, inFlight: make(chan time.Time, t.queued), pause: t.pause}
		start(b, informer, w)

		end := make(chan struct{})
		var running sync.WaitGroup
		defer running.Wait()
		defer close(end)
		running.Go(func() { w.run(end) })
		var reads atomic.Int64
		lister := m.lister(informer.GetIndexer())
		for range t.readers {
			running.Go(func() { listUntil(end, lister, &reads) })
		}

		time.Sleep(t.period / 10) // until all of them are at work
		w.reset()
		reads.Store(0)
		for b.Loop() {
			time.Sleep(t.period)
		}
		b.ReportMetric(float64(reads.Load())/b.Elapsed().Seconds(), readsPerSecond)
		w.report(b)
	}
}

// listUntil lists everything until end is closed.
func listUntil(end <-chan struct{}, l lister, reads *atomic.Int64) {
	for {
		select {
		case <-end:
			return
		default:
		}
		if count(l.List(everything)) > 0 {
			reads.Add(1)
		}
	}
}

// writer is a watch and its handler. It sends changes of things.
type writer struct {
	events chan<- watch.Event
	pause  time.Duration
	// inFlight has the times at which the events were sent that are on their
	// way: one for each, in their order.
	inFlight chan time.Time

	mu   sync.Mutex
	took []time.Duration
}

// run sends until end is closed.
func (w *writer) run(end <-chan struct{}) {
	changes := changesOf(4 * inFlight)
	for i := 0; ; i++ {
		if w.pause > 0 {
			time.Sleep(w.pause)
		}
		select {
		case <-end:
			return
		case w.inFlight <- time.Now():
			// There are as many places in events.
			w.events <- changes[i%len(changes)]
		}
	}
}

// OnAdd is called for the objects that are listed, and for the first change of
// each that is not.
func (w *writer) OnAdd(_ any, initial bool) {
	if !initial {
		w.arrived()
	}
}

// OnUpdate is called for all other changes.
func (w *writer) OnUpdate(any, any) { w.arrived() }

// OnDelete is never called.
func (w *writer) OnDelete(any) {}

func (w *writer) arrived() {
	took := time.Since(<-w.inFlight)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = append(w.took, took)
}

// reset forgets what has arrived.
func (w *writer) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = w.took[:0]
}

// report reports what has arrived since reset: how many, and how late.
func (w *writer) report(b *testing.B) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b.ReportMetric(float64(len(w.took))/b.Elapsed().Seconds(), writesPerSecond)
	if len(w.took) == 0 { // at least that long
		w.took = []time.Duration{b.Elapsed()}
	}
	slices.Sort(w.took)
	b.ReportMetric(float64(w.took[len(w.took)/2]), p50)
	b.ReportMetric(float64(w.took[len(w.took)*99/100]), p99)
}
