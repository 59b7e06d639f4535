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

// skewedClock is a clock that runs too fast or slow, of a process that may be stopped on a machine
// that may be suspended.
type skewedClock struct {
	began time.Time
	// rate is the number of seconds that pass by the clock in a second.
	rate float64
	gate *gate

	mu        sync.Mutex
	suspended time.Time     // since when the machine is, zero if it is not
	missed    time.Duration // the time by the clock in which the machine was suspended
	offset    time.Duration // by which the time of day was set
}

func (c *skewedClock) passed(since time.Time) time.Duration {
	return time.Duration(float64(time.Since(since)) * c.rate)
}

// now stands still while the machine is suspended.
func (c *skewedClock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	missed := c.missed
	if !c.suspended.IsZero() {
		missed += c.passed(c.suspended)
	}
	return time.Second + c.passed(c.began) - missed
}

func (c *skewedClock) wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.began.Add(c.passed(c.began) + c.offset)
}

// set sets the time of day.
func (c *skewedClock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
}

// suspend suspends the machine.
func (c *skewedClock) suspend() {
	c.gate.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = time.Now()
}

// resume lets the process run.
func (c *skewedClock) resume() {
	c.mu.Lock()
	if !c.suspended.IsZero() {
		c.missed += c.passed(c.suspended)
		c.suspended = time.Time{}
	}
	c.mu.Unlock()
	c.gate.resume()
}

// after calls f when the time is over and the process runs.
func (c *skewedClock) after(d time.Duration, f func()) func() bool {
	return time.AfterFunc(time.Duration(float64(d)/c.rate)+1, func() {
		c.gate.pass()
		f()
	}).Stop
}
