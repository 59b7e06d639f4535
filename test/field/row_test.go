package field_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// row is one condition, and the bounds of what an informer makes of it.
type row struct {
	name string
	// http2 is true for a server that speaks HTTP/2 over TLS. Otherwise it speaks HTTP/1.1.
	http2 bool
	// tune changes the server, and config the client.
	tune   func(*http.Server)
	config func(*rest.Config)
	// backoff is an option of the informer of runtime/cache.
	backoff *wait.Backoff
	// listing is for informers that ask for no watch-list.
	listing bool
	// bookmarks is the time between two bookmarks of the server; a minute by default.
	bookmarks time.Duration
	// pods is the smallest number of pods.
	pods int

	// early says that the condition is there when the informer starts, and
	// lasting that it does not end: all has to be right in spite of it.
	early, lasting bool
	// proxy answers requests while there is the condition.
	proxy func(*world) http.Handler
	// severs says that all connections break when the condition begins.
	severs bool
	// during makes the condition, and returns when it is over. By default it
	// waits for lasts.
	during func(*world)
	lasts  time.Duration
	// after ends what the proxy alone does not.
	after func(*world)
	// quiet is true for a server whose objects do not change meanwhile. Otherwise they change once a
	// second, or as often as writes says.
	quiet  bool
	writes time.Duration
	// still says that nothing is changed after the condition.
	still bool

	// core, layer and clientGo are the bounds; layer's are core's by default.
	core     bounds
	layer    *bounds
	clientGo bounds
}

// bounds are the bounds of a measurement. Zero is no bound. Zero made-up deletions means that there may be
// none.
type bounds struct {
	// blind is the largest share of time without a watch, in percent.
	blind float64
	// late is the largest delay of a change.
	late time.Duration
	// requests is the largest number of requests while there is the condition.
	requests int
	// right is the time after which all must be right; never says that it is not.
	right time.Duration
	never bool
	// madeUp is set if deletions are delivered that did not happen.
	madeUp bool
	// says is a part of the status's text when the condition ends.
	says string
}

// measurement has the measured values of a row.
type measurement struct {
	blind             float64
	late, right       time.Duration
	requests, busiest int
	never             bool
	madeUp            int
	lasted            time.Duration
	status, differs   string
}

func (m measurement) String() string {
	return fmt.Sprintf("%.1f %% blind, %v late, %d requests in %v (%d in a minute), right after %v, never %v, %d deletions made up; %s",
		m.blind, m.late, m.requests, m.lasted, m.busiest, m.right, m.never, m.madeUp, m.status)
}

// bounds returns the bounds of an implementation.
func (r row) bounds(i implementation) bounds {
	switch {
	case i.Name == clientGo.Name:
		return r.clientGo
	case i.Name == layer.Name && r.layer != nil:
		return *r.layer
	default:
		return r.core
	}
}

// exceeded returns the bounds that a measurement is not within. Those on requests are
// for the whole time that a condition lasts in virtual time.
func (b bounds) exceeded(m measurement) (what []string) {
	add := func(exceeded bool, format string, args ...any) {
		if exceeded {
			what = append(what, fmt.Sprintf(format, args...))
		}
	}
	add(b.blind > 0 && m.blind > b.blind, "%.1f %% of the time without a watch, want at most %.0f", m.blind, b.blind)
	add(b.late > 0 && m.late > b.late, "change late by %v, want at most %v", m.late, b.late)
	add(b.requests > 0 && m.requests > b.requests, "%d requests, want at most %d", m.requests, b.requests)
	add(!b.never && m.never, "never right")
	add(b.never && !m.never, "right after %v, want never", m.right)
	add(b.right > 0 && m.right > b.right, "right after %v, want at most %v", m.right, b.right)
	add(!b.madeUp && m.madeUp > 0, "%d deletions delivered that did not happen", m.madeUp)
	add(b.madeUp && m.madeUp == 0, "no deletion delivered that did not happen")
	return what
}

// measure has an informer meet the condition.
func (r row) measure(t *testing.T, i implementation) (m measurement) {
	if *realTime {
		r.meet(newWorld(t, false, i, r), &m)
		return m
	}
	synctest.Test(t, func(t *testing.T) { r.meet(newWorld(t, true, i, r), &m) })
	return m
}

func (r row) meet(w *world, m *measurement) {
	if !r.early {
		w.run()
		if _, ok := w.right(); !ok {
			w.Fatalf("not right before the condition: %s", w.difference())
		}
		w.pass(10 * time.Second)
	}
	w.edge.forget()
	w.view.forget()
	began := time.Now()
	w.on.Store(true)
	if r.severs {
		w.network.reset()
	}
	if r.early {
		w.run()
	}
	if r.lasting {
		var ok bool
		if m.right, ok = w.right(); !ok {
			m.never = true
		}
		w.view.forget()
	}
	r.pass(w)
	m.lasted = time.Since(began)
	m.status = w.status()
	var blind time.Duration
	m.requests, m.busiest, blind = w.edge.counted()
	m.blind = 100 * blind.Seconds() / m.lasted.Seconds()
	m.late, _ = w.view.measured()
	if !r.lasting {
		w.on.Store(false)
		if r.after != nil {
			r.after(w)
		}
	}
	if !r.still {
		w.update("a")
		w.delete("b")
		w.create("later")
	}
	after, ok := w.right()
	m.right, m.never = max(m.right, after), m.never || !ok
	m.differs = w.difference()
	_, m.madeUp = w.view.measured()
}

// pass returns when the condition is over.
func (r row) pass(w *world) {
	during := r.during
	if during == nil {
		lasts := r.lasts
		if !w.virtual {
			lasts = min(lasts, *duration)
		}
		during = func(w *world) { w.pass(lasts) }
	}
	if r.quiet {
		during(w)
		return
	}
	period := r.writes
	if period == 0 {
		period = time.Second
	}
	w.while(func() { during(w) }, period, w.beat)
}
