package cache

import (
	"sync"
	"sync/atomic"
)

// versionedMutex is a lock that lets readers do without it: who has noted the version
// before, and then finds it unchangedSince, has read one state. What is read that way
// must be written by package atomic.
type versionedMutex struct {
	sync.RWMutex
	// version is odd while somebody writes, and afterwards another one.
	version atomic.Uint64
}

func (m *versionedMutex) Lock() {
	m.RWMutex.Lock()
	m.version.Add(1)
}

func (m *versionedMutex) Unlock() {
	m.version.Add(1)
	m.RWMutex.Unlock()
}

// unchangedSince reports whether nobody has written since the version was noted, nor
// was about to.
func (m *versionedMutex) unchangedSince(version uint64) bool {
	return version%2 == 0 && m.version.Load() == version
}
