package cache

import (
	"sync"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// statusBoard holds what the reflector has to tell of itself, for readers.
type statusBoard struct {
	mu     sync.Mutex
	status Status
	// reported is the failure that was last logged or told of, since all was well.
	reported error
}

func (b *statusBoard) get() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

func (b *statusBoard) start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Started = time.Now()
}

func (b *statusBoard) enter(phase Phase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enterLocked(phase, time.Time{})
}

// backOff is enter for a phase that ends with the next attempt.
func (b *statusBoard) backOff(phase Phase, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.enterLocked(phase, until)
}

func (b *statusBoard) enterLocked(phase Phase, until time.Time) {
	b.status.NextAttempt = until
	if b.status.Phase != phase {
		b.status.Phase, b.status.Since = phase, time.Now()
	}
}

// failed notes a failure, and returns how many there were since all was well.
func (b *statusBoard) failed(err error) (attempts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.status.Attempts++; b.status.Attempts == 1 {
		b.status.FailingSince = time.Now()
	}
	b.status.LastError = err
	return b.status.Attempts
}

// because notes why the informer does what it does next, though nothing failed.
func (b *statusBoard) because(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.LastError = err
}

// report notes a failure that is about to be reported, and returns whether it is of
// another class than the last one.
func (b *statusBoard) report(err error) (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	news = b.reported == nil || failure.ClassOf(b.reported) != failure.ClassOf(err)
	b.reported = err
	return news
}

// succeeded forgets the failures and returns how many there were, and whether one of
// them was reported.
func (b *statusBoard) succeeded() (failures int, reported bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failures, reported = b.status.Attempts, b.reported != nil
	b.status.Attempts, b.status.LastError, b.status.FailingSince = 0, nil, time.Time{}
	b.reported = nil
	return failures, reported
}

// contact notes that the store is in step with the server now.
func (b *statusBoard) contact() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.LastContact = time.Now()
}

// heard notes that frames of a watch went into the store.
func (b *statusBoard) heard(events, bookmarks bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.status.LastContact = now
	if events {
		b.status.LastEvent = now
	}
	if bookmarks {
		b.status.LastBookmark = now
	}
}

func (b *statusBoard) seen(resourceVersion string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.ResourceVersion = resourceVersion
}

// reconnected notes that another watch goes on where one ended.
func (b *statusBoard) reconnected(reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Reconnects++
	b.status.ReconnectReason = reason
}

// relisted notes that everything is fetched again.
func (b *statusBoard) relisted(reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Relists++
	b.status.RelistReason = reason
}

func (b *statusBoard) leftOut(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.ObjectErrors++
	b.status.LastObjectError = err
}
