package eventlog

import (
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// Merger reads a log for a handler that needs the latest state of an object, and not each
// state before it. Any goroutine may merge the events that the handler is behind with, since
// the handler's own may be stuck.
type Merger struct {
	// mu guards the cursor, too.
	mu     sync.Mutex
	cursor *Cursor
	merged *coalesced
	// taken reports whether the last Take returned an event.
	taken   bool
	pending atomic.Int64
}

// NewMerger returns a merger that reads with a cursor, which nobody else may then.
func NewMerger(cursor *Cursor) *Merger {
	return &Merger{cursor: cursor, merged: newCoalesced()}
}

// Take takes the next event, if there is one, with the cause of its state. What was merged
// came before what is in the log. Until the next call, the event is pending.
func (m *Merger) Take() (e Event, why *cause.Cause, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.publish()
	if e, why, m.taken = m.merged.take(); m.taken {
		return e, why, true
	}
	if m.cursor.Ready() > 0 {
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
		why := m.cursor.Cause()
		e := m.cursor.Next()
		if e == nil {
			return // closed
		}
		// What has no key would not have got into the store.
		if key, err := keyOf(e.Object); err == nil {
			m.merged.merge(key, e, why)
		}
	}
}

// publish lets other goroutines read how far the handler is. The caller holds mu.
func (m *Merger) publish() {
	pending := m.merged.len()
	if m.taken {
		pending++
	}
	m.pending.Store(int64(pending))
	m.cursor.Publish()
}

// Pending returns how many events of those before the published position of the cursor the
// handler has still to return from. It needs no lock.
func (m *Merger) Pending() int64 { return m.pending.Load() }

// Position returns how many events lie before the cursor, and how many of them are merged
// and not taken yet.
func (m *Merger) Position() (passed uint64, merged int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cursor.Passed(), m.merged.len()
}

// Ready reports whether there is an event to take.
func (m *Merger) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.merged.len() > 0 || m.cursor.Ready() > 0
}

// Forget drops what was merged.
func (m *Merger) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.merged.clear()
	m.publish()
}
