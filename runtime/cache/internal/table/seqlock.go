package table

import (
	"sync"
	"sync/atomic"
)

// SeqLock is a lock for readers that may do without it: one that notes the version before
// its optimistic read, and then finds it unchanged since, has read one state. What is read
// that way must be written by package atomic.
type SeqLock struct {
	sync.RWMutex
	// version is odd while a writer holds the lock, and another even number afterwards.
	version atomic.Uint64
	// Observe is for tests, which measure what is done under the lock: it is called
	// when a writer has locked, and when it is about to unlock.
	Observe func(locked bool)
}

// Lock locks for a writer.
func (l *SeqLock) Lock() {
	l.RWMutex.Lock()
	l.version.Add(1)
	if l.Observe != nil {
		l.Observe(true)
	}
}

// Unlock ends what Lock began.
func (l *SeqLock) Unlock() {
	if l.Observe != nil {
		l.Observe(false)
	}
	l.version.Add(1)
	l.RWMutex.Unlock()
}

// Version returns the version to note before an optimistic read.
func (l *SeqLock) Version() uint64 { return l.version.Load() }

// UnchangedSince reports whether nobody has written since the version was noted, nor
// was about to.
func (l *SeqLock) UnchangedSince(version uint64) bool {
	return version%2 == 0 && l.version.Load() == version
}
