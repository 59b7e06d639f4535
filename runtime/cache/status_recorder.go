package cache

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// statusRecorder records the status of a reflector. Any goroutine may read it.
type statusRecorder struct {
	mu     sync.Mutex
	status Status
	// reported is the failure that was last reported. It is nil while all is well.
	reported error

	// arrived and expected are Status.Received and Status.Expected.
	arrived, expected atomic.Int64
}

// phaseOf returns the phase of an informer that makes a request in a phase of the protocol.
func phaseOf(request protocol.Phase) Phase {
	return [...]Phase{
		protocol.Listing:   PhaseListing,
		protocol.Streaming: PhaseStreaming,
		protocol.Watching:  PhaseWatching,
	}[request]
}

func (r *statusRecorder) get() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Received, s.Expected = int(r.arrived.Load()), int(r.expected.Load())
	return s
}

// listing notes that a list or watch-list begins.
func (r *statusRecorder) listing() {
	r.arrived.Store(0)
	r.expected.Store(0)
}

// more notes how many objects remain of a list. remaining is not positive if none remain or their number is
// not known.
func (r *statusRecorder) more(remaining int64) {
	if remaining > 0 {
		r.expected.Store(r.arrived.Load() + remaining)
	} else {
		r.expected.Store(0)
	}
}

// update changes the status.
func (r *statusRecorder) update(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

func (r *statusRecorder) start() { r.update(func(s *Status) { s.Started = time.Now() }) }

func (r *statusRecorder) enter(phase Phase) { r.backOff(phase, time.Time{}) }

// backOff enters a phase that ends with the next attempt, at the given time.
func (r *statusRecorder) backOff(phase Phase, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.NextAttempt = until
	if r.status.Phase != phase {
		r.status.Phase, r.status.Since = phase, time.Now()
	}
}

// failed notes a failure, and returns the number of failures since the last success.
func (r *statusRecorder) failed(err error) (attempts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.Attempts++; r.status.Attempts == 1 {
		r.status.FailingSince = time.Now()
	}
	r.status.LastError = err
	return r.status.Attempts
}

// because notes the reason for the informer's next request, though nothing failed.
func (r *statusRecorder) because(err error) { r.update(func(s *Status) { s.LastError = err }) }

// report notes a failure that is about to be reported, and returns whether its class differs from the last
// one's.
func (r *statusRecorder) report(err error) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news = r.reported == nil || failure.ClassOf(r.reported) != failure.ClassOf(err)
	r.reported = err
	return news
}

// succeeded resets the failures. It returns how many there were, and whether one of them was reported.
func (r *statusRecorder) succeeded() (failures int, reported bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	failures, reported = r.status.Attempts, r.reported != nil
	r.status.Attempts, r.status.LastError, r.status.FailingSince = 0, nil, time.Time{}
	r.reported = nil
	return failures, reported
}

// contact notes that the store is up to date with the server now.
func (r *statusRecorder) contact() { r.update(func(s *Status) { s.LastContact = time.Now() }) }

// received notes a commit of deltas to the store, and how many of them are events of objects.
func (r *statusRecorder) received(events uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.status.LastContact = now
	if events > 0 {
		r.status.LastEvent = now
		r.status.Events += events
	}
}

// bookmarked notes a bookmark.
func (r *statusRecorder) bookmarked() {
	r.update(func(s *Status) { s.LastBookmark, s.Bookmarks = time.Now(), s.Bookmarks+1 })
}

// requested notes the end of a request of a phase; err is nil if it succeeded.
func (r *statusRecorder) requested(phase protocol.Phase, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch phase {
	case protocol.Streaming:
		r.status.WatchLists.Add(err)
	case protocol.Watching:
		r.status.Watches.Add(err)
	default:
		r.status.Lists.Add(err)
	}
}

func (r *statusRecorder) seen(resourceVersion string) {
	r.update(func(s *Status) { s.ResourceVersion = resourceVersion })
}

// reconnected notes that the server has opened a watch after one ended with reason.
func (r *statusRecorder) reconnected(reason error) {
	r.update(func(s *Status) { s.Reconnects, s.ReconnectReason = s.Reconnects+1, reason })
}

// relisted notes that everything is listed again.
func (r *statusRecorder) relisted(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Relists++
	r.status.RelistReason = reason
	r.status.RelistReasons.Add(failure.ClassOf(reason))
}

// objectError counts an object that was left out.
func (r *statusRecorder) objectError(err error) {
	r.update(func(s *Status) { s.ObjectErrors, s.LastObjectError = s.ObjectErrors+1, err })
}
