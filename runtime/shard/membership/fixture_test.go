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
	close(g.open)
}

// skewedClock is the clocks of a machine, which run too fast or slow, and of a process that may
// be stopped.
type skewedClock struct {
	began time.Time
	// rate is how many seconds pass by the clock in a second.
	rate float64
	gate *gate
	// boot is whether there is a clock that does not stand still while the machine is suspended.
	boot bool

	mu sync.Mutex
	// slept is for how long the monotonic clock stood still, since a suspended machine, and
	// suspended is since when it does.
	slept     time.Duration
	suspended time.Time
	// set is by how much the wall clock was set.
	set time.Duration
}

func (c *skewedClock) scale(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.rate)
}

func (c *skewedClock) now() instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := time.Since(c.began)
	slept := c.slept
	if !c.suspended.IsZero() {
		slept += time.Since(c.suspended)
	}
	now := instant{monotonic: c.scale(passed - slept), wall: c.scale(passed) + c.set}
	if c.boot {
		now.boot = c.scale(passed)
	}
	return now
}

// suspend stops the machine, and its monotonic clock.
func (c *skewedClock) suspend() {
	c.mu.Lock()
	c.suspended = time.Now()
	c.mu.Unlock()
	c.gate.stop()
}

func (c *skewedClock) wake() {
	c.mu.Lock()
	c.slept += time.Since(c.suspended)
	c.suspended = time.Time{}
	c.mu.Unlock()
	c.gate.resume()
}

// setWall sets the wall clock.
func (c *skewedClock) setWall(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set += by
}

// after needs no goroutine while the process runs.
func (c *skewedClock) after(d time.Duration, f func()) func() bool {
	due := c.now().monotonic + d
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	var arm func()
	arm = func() {
		mu.Lock()
		defer mu.Unlock()
		if left := due - c.now().monotonic; left > 0 && !stopped {
			timer = time.AfterFunc(time.Duration(float64(left)/c.rate)+1, func() {
				c.gate.pass()
				arm()
			})
			return
		}
		if !stopped {
			stopped = true
			go f()
		}
	}
	arm()
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		before := stopped
		stopped = true
		if timer != nil {
			timer.Stop()
		}
		return !before
	}
}
