package membership

import (
	"sync"
	"time"
)

// gate stops a process, as SIGSTOP does: what passes it waits.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while the process runs
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) pass() {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	<-open
}

func (g *gate) stopped() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		return false
	default:
		return true
	}
}

func (g *gate) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// skewedClock is a clock that runs too fast or slow, of a process that may be stopped.
type skewedClock struct {
	began time.Time
	// rate is how many seconds pass by the clock in a second.
	rate float64
	gate *gate
}

func (c *skewedClock) now() time.Duration {
	return time.Second + time.Duration(float64(time.Since(c.began))*c.rate)
}

// after calls f when the time is over and the process runs.
func (c *skewedClock) after(d time.Duration, f func()) func() bool {
	return time.AfterFunc(time.Duration(float64(d)/c.rate)+1, func() {
		c.gate.pass()
		f()
	}).Stop
}
