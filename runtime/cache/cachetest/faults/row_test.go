package faults_test

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// row is one fault, and how an informer behaves under it.
type row struct {
	name string
	// listing is true for an informer that lists. Otherwise the informer asks for a watch-list.
	listing bool
	// early says that the fault is there when the informer starts. Otherwise it
	// comes when the informer has been up to date for a while.
	early bool
	// prepare makes the server what it is before all that.
	prepare func(*world)
	// faults are scripted, and meet makes an informer that is up to date meet them.
	faults []cachetest.Fault
	meet   func(*world)
	// lasts is the duration of the fault, if it does not end by itself. After it one pod is updated, one
	// deleted, and one created.
	lasts time.Duration
	// removed says that there is no resource in the end.
	removed bool
	// without is a pod that does not count.
	without string
	// stopAt is when the informer is stopped to see how long that takes,
	// counted from the beginning of the fault. It is half a second by default.
	stopAt time.Duration

	// says is a part of what the status of an informer of the core says when it
	// is stopped, and layerSays of one of the compatibility layer, if that differs.
	says      string
	layerSays string

	ours     outcome
	layer    *outcome // nil if it is as ours
	clientGo outcome
}

// deadline limits the time until an informer is in sync.
const deadline = time.Hour

// measurement has what was seen of an outcome.
type measurement struct {
	verdict  verdict
	after    time.Duration
	requests int
	// busiest is the largest number of requests in a minute.
	busiest int
	stop    time.Duration
	// status is the status of the informer when it is stopped, if it has one.
	status string
	// differs has the differences between the informer and the server.
	differs string
}

func (m measurement) String() string {
	return fmt.Sprintf("%s, after %v, %d requests, %d in a minute, stopped in %v", m.verdict, m.after, m.requests, m.busiest, m.stop)
}

// measure has an informer meet the fault twice: to see when it is up to date again,
// and to stop it.
func (r row) measure(t *testing.T, i implementation) (m measurement) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, i, r)
		r.begin(w)
		began := time.Now()
		r.happen(w)
		ended := time.Now()
		r.write(w)
		m = w.watch(began, ended)
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, i, r)
		stop := r.begin(w)
		over := make(chan struct{})
		go func() { defer close(over); r.happen(w); r.write(w) }()
		time.Sleep(max(r.stopAt, time.Second/2))
		m.status = w.status()
		began := time.Now()
		stop()
		m.stop = time.Since(began)
		<-over
	})
	return m
}

// settled is the time for which an informer is up to date before a fault.
const settled = 10 * time.Second

// begin brings a world to where the fault is there.
func (r row) begin(w *world) (stop func()) {
	if r.prepare != nil {
		r.prepare(w)
	}
	if r.early {
		w.api.Fail(r.faults...)
		return w.run()
	}
	stop = w.run()
	w.pass(settled)
	if d := w.difference(); d != "" {
		w.Fatalf("not up to date before the fault: %s", d)
	}
	w.wire.forget()
	w.api.Fail(r.faults...)
	return stop
}

// happen returns when the fault is over, or will be with the next requests.
func (r row) happen(w *world) {
	if r.meet != nil {
		r.meet(w)
	}
	if r.lasts > 0 {
		w.pass(r.lasts)
		w.api.ClearFaults()
	}
}

// write makes one change of each kind, as soon as requests without a backoff
// between them have been answered.
func (r row) write(w *world) {
	w.pass(20 * time.Millisecond)
	if r.removed {
		return
	}
	w.update("a")
	w.delete("b")
	w.create("d")
}

// watch waits for an hour, or a flood of requests, and returns what has happened. An
// informer that is out of date and makes a request a minute goes on trying; one that
// has made no more than two waits for an answer.
func (w *world) watch(began, ended time.Time) measurement {
	select {
	case <-time.After(deadline):
	case <-w.wire.flooded:
	}
	synctest.Wait()
	now := time.Now()
	requests := w.wire.until(now)
	m := measurement{after: now.Sub(ended), requests: requests, busiest: w.wire.busiest(), differs: w.difference()}
	switch {
	case requests > flood:
		m.verdict, m.after, m.requests = loops, w.wire.last().Sub(began), flood
	case m.differs == "":
		m.verdict = recovers
		m.after = max(0, w.view.lastChange().Sub(ended))
		m.requests = w.wire.until(ended.Add(m.after))
	case requests >= int(now.Sub(began).Minutes()):
		m.verdict = loops
	case len(w.stored()) == 0 || requests <= 2:
		m.verdict = hangs
	case maps.Equal(w.stored(), w.view.get()) && len(w.stored()) == len(w.objects()):
		m.verdict = wrong
	default:
		m.verdict = loses
	}
	return m
}
