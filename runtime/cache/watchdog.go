package cache

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// watchdogChecks is in how many parts a watchdog divides its patience.
const watchdogChecks = 4

// watchdog calls bark once if it is not fed for a time between its patience
// and a quarter more. Feeding it costs next to nothing.
type watchdog struct {
	fed      atomic.Bool
	hungry   int
	interval time.Duration
	bark     func()
	// timer calls check; started is closed when it is set.
	timer   *time.Timer
	started chan struct{}
}

func newWatchdog(patience time.Duration, bark func()) *watchdog {
	w := &watchdog{interval: patience / watchdogChecks, bark: bark, started: make(chan struct{})}
	w.timer = time.AfterFunc(w.interval, w.check)
	close(w.started)
	return w
}

func (w *watchdog) feed() {
	if !w.fed.Load() {
		w.fed.Store(true)
	}
}

func (w *watchdog) check() {
	<-w.started
	if w.fed.Swap(false) {
		w.hungry = 0
	} else {
		w.hungry++
	}
	if w.hungry == watchdogChecks {
		w.bark()
		return
	}
	w.timer.Reset(w.interval)
}

func (w *watchdog) stop() { w.timer.Stop() }

// guard returns a watchdog that cancels a request with cause.
func guard(cancel context.CancelCauseFunc, patience time.Duration, cause error) *watchdog {
	return newWatchdog(patience, func() { cancel(fmt.Errorf("%w: %v", cause, patience)) })
}
