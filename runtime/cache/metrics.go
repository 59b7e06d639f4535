package cache

import "time"

// Metrics is told how an informer gets on. The informer's goroutines call its
// functions and wait for them, so they must return at once. Each may be nil.
type Metrics struct {
	// Queued is told how many deltas wait for the store whenever that changes.
	// A whole list is one delta.
	Queued func(deltas int)
	// Committed is told of each batch of deltas that went into the store: how
	// long that took, handlers not included, and the resourceVersion that the
	// store has since.
	Committed func(took time.Duration, resourceVersion string)
}

func (m *Metrics) queued(deltas int) {
	if m.Queued != nil {
		m.Queued(deltas)
	}
}

// now is when something begins that committed tells of.
func (m *Metrics) now() (began time.Time) {
	if m.Committed != nil {
		began = time.Now()
	}
	return began
}

func (m *Metrics) committed(began time.Time, resourceVersion func() string) {
	if m.Committed != nil {
		m.Committed(time.Since(began), resourceVersion())
	}
}
