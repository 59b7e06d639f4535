package eventlog

import (
	"math"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// Merger reads a log for a handler that needs only the latest state of an object. Any goroutine may merge
// the events that wait for the handler, since the handler's goroutine may be stuck.
type Merger struct {
	// mu guards the cursor, too.
	mu     sync.Mutex
	cursor *Cursor
	merged *coalesced
	// until is the position at which Take stops, and unlimited in general. later holds merged events beyond
	// it.
	until uint64
	later *coalesced
	// taken reports whether the last Take returned an event.
	taken   bool
	pending atomic.Int64
}

// unlimited is a position that no log reaches.
const unlimited = math.MaxUint64

// NewMerger returns a merger that reads with a cursor. Nothing else may use the cursor.
func NewMerger(cursor *Cursor) *Merger {
	return &Merger{cursor: cursor, merged: newCoalesced(), until: unlimited, later: newCoalesced()}
}

// Hold makes Take stop at a position until Resume is called. It returns false, and changes nothing, if an
// event beyond the position was read already.
func (m *Merger) Hold(position uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cursor.Passed() > position {
		return false
	}
	m.until = position
	return true
}

// Reached reports whether Take has returned all events before the position of Hold, or Hold is not in
// effect.
func (m *Merger) Reached() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.until == unlimited || m.merged.len() == 0 && m.cursor.Passed() >= m.until
}

// Resume ends Hold after its position was reached.
func (m *Merger) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until != unlimited {
		m.until = unlimited
		m.merged, m.later = m.later, m.merged
	}
}

// Take removes and returns the next event, if there is one, with the cause of its state. Merged events come
// before the events of the log. The event is pending until the next call.
func (m *Merger) Take() (e Event, why *cause.Cause, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.publish()
	if e, why, m.taken = m.merged.take(); m.taken {
		return e, why, true
	}
	if m.ready() {
		why = m.cursor.Cause()
		if next := m.cursor.Next(); next != nil {
			e, m.taken = *next, true
		}
	}
	return e, why, m.taken
}

// Merge merges all events of the log by their keys.
func (m *Merger) Merge(keyOf func(any) (types.NamespacedName, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.publish()
	for m.cursor.Ready() > 0 {
		into := m.merged
		if m.cursor.Passed() >= m.until {
			into = m.later
		}
		why := m.cursor.Cause()
		e := m.cursor.Next()
		if e == nil {
			return // closed
		}
		// An object without a key would not be in the store.
		if key, err := keyOf(e.Object); err == nil {
			into.merge(key, e, why)
		}
	}
}

// publish makes the handler's progress visible to other goroutines. The caller holds mu.
func (m *Merger) publish() {
	pending := m.merged.len() + m.later.len()
	if m.taken {
		pending++
	}
	m.pending.Store(int64(pending))
	m.cursor.Publish()
}

// Pending returns how many events before the published position of the cursor the handler has not returned
// from. It needs no lock.
func (m *Merger) Pending() int64 { return m.pending.Load() }

// Ready reports whether there is an event to take.
func (m *Merger) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.merged.len() > 0 || m.ready()
}

// ready reports whether Take may read an event of the log. The caller holds mu.
func (m *Merger) ready() bool { return m.cursor.Passed() < m.until && m.cursor.Ready() > 0 }

// Forget drops the merged events.
func (m *Merger) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.merged.clear()
	m.later.clear()
	m.publish()
}
