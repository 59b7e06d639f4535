package controller

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Status says what a controller is doing, and what went wrong lately. It can be marshalled into JSON and
// back.
type Status struct {
	// Name is the controller's name.
	Name string
	// Synced is true from the start of the workers until Run ends.
	Synced bool
	// Stopped is true once Run ends, with or without an error. No more keys are reconciled then.
	Stopped bool
	// Fence is the time that the controller waited for Options.Fence. It is zero until that wait is over.
	Fence time.Duration

	// Waiting counts the keys that wait for a worker, and Oldest is the age of the first of them. A key
	// that changes while it is being reconciled waits from the end of that reconcile.
	Waiting int
	Oldest  time.Duration
	// WaitingLive counts the waiting keys with a live change: a watch event, a call of Enqueue, or another
	// attempt after an error. OldestLive is the age of the first of them. Lists, resyncs and Result.After
	// are not live. Keys that are not live have one of four turns, and one of two once the first has waited
	// for a minute.
	WaitingLive int
	OldestLive  time.Duration
	// Delayed counts the keys that are reconciled later, after a backoff or Result.After.
	Delayed int
	// Running holds the keys that are being reconciled, the longest-running first.
	Running []Running
	// AwaitingWrites counts the keys that wait, for a minute at most, until a store has their own writes.
	AwaitingWrites int
	// OverdueWrites holds the first 100 keys whose writes were not in the store after that minute, with the
	// reason and the time of the reconcile. A key stays until the store has the writes. Overdue counts how
	// often a key was reconciled although the reconcile may not see its own writes.
	OverdueWrites []KeyError
	Overdue       uint64

	// Succeeded counts the reconciles without an error, Failed the ones with an error that is retried, and
	// Terminal the ones with an error of Terminal. Panicked counts the panics among Failed. Reconciles that
	// the end of the context interrupts are not counted.
	Succeeded, Failed, Terminal, Panicked uint64
	// LastPanic is the time of the last panic.
	LastPanic time.Time
	// LastError is the error of the last reconcile that failed, LastErrorKey its key and LastErrorTime its
	// end.
	LastError     error
	LastErrorKey  types.NamespacedName
	LastErrorTime time.Time
	// TerminalErrors holds the latest 100 keys whose last reconcile ended with an error of Terminal, the
	// latest first. A key stays until a reconcile has another outcome. A change or a deletion of its object
	// leads to one.
	TerminalErrors []KeyError
}

// KeyError is an error of the reconcile of a key.
type KeyError struct {
	Key types.NamespacedName
	Err error
	// Time is when the reconcile ended.
	Time time.Time
}

// maxTerminalErrors and maxOverdueWrites limit how many keys a status holds.
const maxTerminalErrors, maxOverdueWrites = 100, 100

// Running is a key that is being reconciled.
type Running struct {
	Key types.NamespacedName
	For time.Duration
}

// Status returns what the controller is doing. It may be called at any time.
func (c *Controller) Status() Status {
	s := c.recorder.get()
	s.Name = c.name
	c.backlog.status(&s)
	return s
}

// HealthCheck returns a check for a liveness probe, in the form that controller-runtime and apiserver take.
// It fails with ErrStuck if a reconcile has been running for longer than stuck, and with failure.ErrStopped
// if Run has ended. A controller that was not started, or that waits for its informers, is healthy.
func (c *Controller) HealthCheck(stuck time.Duration) func(*http.Request) error {
	return func(*http.Request) error {
		if c.ended.Load() {
			return c.errorf("%w", failure.ErrStopped)
		}
		if running := c.recorder.get().Running; len(running) > 0 && running[0].For > stuck {
			return c.errorf("%w: reconcile of %v has taken %v", ErrStuck, running[0].Key, running[0].For.Round(time.Second))
		}
		return nil
	}
}

// recorder records what the workers do.
type recorder struct {
	mu sync.Mutex
	// now holds the fields of a status that are not computed.
	now     Status
	running map[types.NamespacedName]time.Time
	// terminal holds the errors of Status.TerminalErrors, and late the writes of Status.OverdueWrites.
	terminal map[types.NamespacedName]KeyError
	late     map[types.NamespacedName]*lateWrites
}

// lateWrites are the overdue writes of a key. When later writes replace them, stop is called.
type lateWrites struct {
	KeyError
	stop func()
}

func (r *recorder) get() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.now
	for key, since := range r.running {
		s.Running = append(s.Running, Running{key, time.Since(since)})
	}
	slices.SortFunc(s.Running, func(a, b Running) int {
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Key.String(), b.Key.String()))
	})
	for _, late := range r.late {
		s.OverdueWrites = append(s.OverdueWrites, late.KeyError)
	}
	slices.SortFunc(s.OverdueWrites, func(a, b KeyError) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Key.String(), b.Key.String()))
	})
	s.TerminalErrors = slices.SortedFunc(maps.Values(r.terminal), func(a, b KeyError) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Key.String(), b.Key.String()))
	})
	return s
}

// overdue notes that the writes of a key are missing after writeTimeout, with an error. Earlier missing
// writes of the key end, since the new writes came after them. The returned function is called when the new
// writes have arrived or are given up.
func (r *recorder) overdue(key types.NamespacedName, err error, stop func()) (ended func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Overdue++
	mine := &lateWrites{KeyError{key, err, time.Now().Add(-writeTimeout)}, stop}
	before := r.late[key]
	if before != nil {
		mine.Time = before.Time
		before.stop()
	}
	if r.late == nil {
		r.late = map[types.NamespacedName]*lateWrites{}
	}
	if before == nil && len(r.late) >= maxOverdueWrites {
		stop()
	} else {
		r.late[key] = mine
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.late[key] == mine {
			delete(r.late, key)
		}
	}
}

func (r *recorder) update(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.now)
}

// begin notes that a key is being reconciled.
func (r *recorder) begin(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		r.running = map[types.NamespacedName]time.Time{}
	}
	r.running[key] = time.Now()
}

// forget drops the terminal errors of keys that this controller does not reconcile any more.
func (r *recorder) forget(keys []types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		delete(r.terminal, key)
	}
}

// end notes that a key is not being reconciled any more, and the outcome.
func (r *recorder) end(key types.NamespacedName, outcome outcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, key)
	if outcome == interrupted {
		return
	}
	delete(r.terminal, key)
	switch outcome {
	case succeeded:
		r.now.Succeeded++
		return
	case terminal:
		r.now.Terminal++
		r.keep(KeyError{key, err, time.Now()})
	case failed:
		r.now.Failed++
		if isPanic(err) {
			r.now.Panicked++
			r.now.LastPanic = time.Now()
		}
	}
	r.now.LastError, r.now.LastErrorKey, r.now.LastErrorTime = err, key, time.Now()
}

// keep adds a terminal error. It replaces the oldest one if there are too many. The caller holds mu.
func (r *recorder) keep(e KeyError) {
	if r.terminal == nil {
		r.terminal = map[types.NamespacedName]KeyError{}
	}
	if len(r.terminal) == maxTerminalErrors {
		oldest := slices.MinFunc(slices.Collect(maps.Values(r.terminal)), func(a, b KeyError) int { return a.Time.Compare(b.Time) })
		delete(r.terminal, oldest.Key)
	}
	r.terminal[e.Key] = e
}

// errorf returns an error with the controller's name.
func (c *Controller) errorf(format string, args ...any) error {
	return fmt.Errorf("controller %q: "+format, append([]any{c.name}, args...)...)
}
