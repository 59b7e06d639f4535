package decode

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Shared is what was decoded before. It is safe for concurrent use.
type Shared struct {
	parts parts

	reused, saved atomic.Uint64
}

// NewShared returns a Shared that knows nothing yet.
func NewShared() *Shared {
	s := &Shared{}
	for i := range s.parts.seeds {
		s.parts.seeds[i] = maphash.MakeSeed()
	}
	return s
}

// Saved returns how many parts were found instead of decoded, and the length of their
// texts in bytes.
func (s *Shared) Saved() (parts, bytes uint64) { return s.reused.Load(), s.saved.Load() }

// found counts a part that need not be decoded.
func (s *Shared) found(length int) {
	s.reused.Add(1)
	s.saved.Add(uint64(length))
}

// part is a value that was decoded.
type part struct {
	// at is the value, or what a pointer, map or slice points to.
	at unsafe.Pointer
	// elements is the length of a slice.
	elements int
}

// weakPart is a part that is there as long as an object has it.
type weakPart struct {
	at       weak.Pointer[byte]
	elements int
}

func (p part) weak() weakPart {
	return weakPart{weak.Make((*byte)(p.at)), p.elements}
}

// strong returns the part, and whether it is still there.
func (w weakPart) strong() (part, bool) {
	at := unsafe.Pointer(w.at.Value())
	return part{at, w.elements}, at != nil
}
