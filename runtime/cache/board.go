package cache

import (
	"sync"
	"time"
)

// statusBoard holds what the reflector has to tell of itself, for readers.
type statusBoard struct {
	mu     sync.Mutex
	status Status
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

// succeeded forgets the failures and returns how many there were.
func (b *statusBoard) succeeded() (failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failures = b.status.Attempts
	b.status.Attempts, b.status.LastError, b.status.FailingSince = 0, nil, time.Time{}
	return failures
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
func (b *statusBoard) reconnected() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Reconnects++
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
