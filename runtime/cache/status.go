package cache

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Phase is what an informer is doing.
type Phase uint8

const (
	// Pending is an informer that has not been started.
	Pending Phase = iota
	// Listing is an informer that fetches the pages of a list.
	Listing
	// Streaming is an informer that receives the initial events of a
	// watch-list (KEP-3157) and waits for the bookmark that closes them.
	Streaming
	// Watching is an informer whose store follows the API.
	Watching
	// BackingOff is an informer that waits before it tries again what failed.
	BackingOff
	// Stopped is an informer whose Run has ended.
	Stopped
)

var phaseNames = [...]string{
	Pending:    "not started",
	Listing:    "listing",
	Streaming:  "waiting for the bookmark that closes the initial events",
	Watching:   "watching",
	BackingOff: "waiting to try again",
	Stopped:    "stopped",
}

// String returns what to put behind "the informer is".
func (p Phase) String() string { return phaseNames[p] }

// Status is what an informer is doing, and what went wrong lately.
type Status struct {
	Phase Phase
	// Since is when the phase began.
	Since time.Time
	// Attempts counts the lists and watches that failed since the last that
	// did not.
	Attempts int
	// LastError is why the last of them failed; nil if Attempts is zero.
	LastError error
	// ResourceVersion is the latest that was seen in a list or a watch. The
	// store may not have taken it in yet.
	ResourceVersion string
}

// String returns what to put behind "the informer is".
func (s Status) String() string {
	var b strings.Builder
	b.WriteString(s.Phase.String())
	if !s.Since.IsZero() {
		fmt.Fprintf(&b, " for %v", time.Since(s.Since).Round(time.Millisecond))
	}
	if s.Attempts > 0 {
		fmt.Fprintf(&b, ", %d failed attempts", s.Attempts)
	}
	if s.LastError != nil {
		fmt.Fprintf(&b, ", last error: %v", s.LastError)
	}
	return b.String()
}

// statusBoard holds a status for its readers.
type statusBoard struct {
	mu     sync.Mutex
	status Status
}

func (b *statusBoard) get() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

func (b *statusBoard) enter(phase Phase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.status.Phase != phase {
		b.status.Phase, b.status.Since = phase, time.Now()
	}
}

// failed notes a failure and reports whether it is another one than the last.
func (b *statusBoard) failed(err error) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.status.LastError
	b.status.Attempts++
	b.status.LastError = err
	return last == nil || last.Error() != err.Error()
}

// succeeded forgets the failures and returns how many there were.
func (b *statusBoard) succeeded() (failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failures = b.status.Attempts
	b.status.Attempts, b.status.LastError = 0, nil
	return failures
}

func (b *statusBoard) seen(resourceVersion string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.ResourceVersion = resourceVersion
}
