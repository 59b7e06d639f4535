package cache

import (
	"sync"
	"sync/atomic"
)

// versionedMutex is a seqlock for readers that do without the lock: a reader that
// notes the version before its optimistic read, and then finds it unchangedSince, has
// read one state. What is read that way must be written by package atomic.
type versionedMutex struct {
	sync.RWMutex
	// version is odd while somebody writes, and afterwards another one.
	version atomic.Uint64
	// observe is for tests, which measure what is done under the lock: it is called
	// when a writer has locked, and when it is about to unlock.
	observe func(locked bool)
}

func (m *versionedMutex) Lock() {
	m.RWMutex.Lock()
	m.version.Add(1)
	if m.observe != nil {
		m.observe(true)
	}
}

func (m *versionedMutex) Unlock() {
	if m.observe != nil {
		m.observe(false)
	}
	m.version.Add(1)
	m.RWMutex.Unlock()
}

// unchangedSince reports whether nobody has written since the version was noted, nor
// was about to.
func (m *versionedMutex) unchangedSince(version uint64) bool {
	return version%2 == 0 && m.version.Load() == version
}
