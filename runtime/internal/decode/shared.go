package decode

import (
	"hash/maphash"
	"reflect"
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

// reuse makes the value at p the one of that type and text, if it is known.
func (s *Shared) reuse(n *node, format format, text []byte, p unsafe.Pointer) (lookup, bool) {
	found, l, ok := s.parts.find(n, format, text)
	if ok && found != n.part(p) {
		n.put(p, found)
		s.reused.Add(1)
		s.saved.Add(uint64(len(text)))
	}
	return l, ok
}

// keep makes the value at p known that was not, if its text had been seen before.
func (s *Shared) keep(l *lookup, n *node, p unsafe.Pointer) {
	if made := n.part(p); l.again && made.at != n.empty {
		s.parts.add(l, made)
	}
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

// put makes the value at p one that was decoded before.
func (n *node) put(p unsafe.Pointer, found part) {
	switch n.kind {
	case structKind:
		reflect.NewAt(n.typ, p).Elem().Set(reflect.NewAt(n.typ, found.at).Elem())
	case sliceKind, stringsKind:
		*(*slice)(p) = slice{found.at, found.elements, found.elements}
	default: // pointers and maps
		*(*unsafe.Pointer)(p) = found.at
	}
}

// part returns the value at p as one that others can have too.
func (n *node) part(p unsafe.Pointer) part {
	switch n.kind {
	case structKind:
		return part{at: p}
	case sliceKind, stringsKind:
		s := (*slice)(p)
		return part{s.at, s.length}
	default:
		return part{at: *(*unsafe.Pointer)(p)}
	}
}

// slice is what a slice consists of.
type slice struct {
	at               unsafe.Pointer
	length, capacity int
}
