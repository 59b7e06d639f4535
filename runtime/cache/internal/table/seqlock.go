package table

import (
	"sync"
	"sync/atomic"
)

// SeqLock is a read-write lock that also permits optimistic reads. Such a reader notes the version before
// its read. If the version has not changed afterwards, it has read one state. Memory that is read in this
// way must be written with package atomic.
type SeqLock struct {
	sync.RWMutex
	// version is odd while a writer holds the lock, and a new even number afterwards.
	version atomic.Uint64
	// Observe is for tests that measure the work under the lock. It is called when a writer has locked, and
	// before it unlocks.
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

// Unlock unlocks after Lock.
func (l *SeqLock) Unlock() {
	if l.Observe != nil {
		l.Observe(false)
	}
	l.version.Add(1)
	l.RWMutex.Unlock()
}

// Version returns the version to note before an optimistic read.
func (l *SeqLock) Version() uint64 { return l.version.Load() }

// UnchangedSince reports whether no writer has locked since the version was noted, and none held the lock
// then.
func (l *SeqLock) UnchangedSince(version uint64) bool {
	return version%2 == 0 && l.version.Load() == version
}
