package faults_test

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// wire carries requests to the server, a millisecond each, and notes when they
// arrive. After a flood of them it holds them back.
type wire struct {
	to http.RoundTripper

	mu      sync.Mutex
	arrived []time.Time
	// flooded is closed by the first request that is held back.
	flooded chan struct{}
}

// flood is a number of requests that no informer may make, in an hour or two.
const flood = 1000

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(time.Millisecond):
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	if w.arrive() > flood {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	}
	return w.to.RoundTrip(r)
}

// arrive returns which request it is, from 1.
func (w *wire) arrive() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = append(w.arrived, time.Now())
	if len(w.arrived) == flood+1 {
		close(w.flooded)
	}
	return len(w.arrived)
}

// forget forgets the requests so far.
func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = nil
}

// last is when the last request arrived.
func (w *wire) last() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.arrived[len(w.arrived)-1]
}

// busiest returns how many requests arrived in a minute, at the most.
func (w *wire) busiest() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	most, first := 0, 0
	for i, at := range w.arrived {
		for at.Sub(w.arrived[first]) > time.Minute {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// until returns how many requests have arrived up to a time.
func (w *wire) until(end time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, at := range w.arrived {
		if !at.After(end) {
			n++
		}
	}
	return n
}
