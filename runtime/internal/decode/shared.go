package decode

import (
	"hash/maphash"
	"reflect"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Shared has the parts that were decoded before. It is safe for concurrent use.
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

// session is the decoding of one object, in any format.
type session struct {
	shared  *Shared
	strings *interner // nil if strings are not shared
	// own reports whether the object shares nothing but strings.
	own               bool
	dropManagedFields bool
	written           written
	budget            budget
	// base is the memory that is being filled, or nil if the object will have a copy of it.
	base unsafe.Pointer
}

// begin returns the session of an object that is decoded to that place.
func (o *Options) begin(text []byte, p unsafe.Pointer) session {
	s := session{shared: o.Shared, own: o.Exclusive || o.Shared == nil, dropManagedFields: o.DropManagedFields, budget: budgetOf(text), base: p}
	if o.Shared != nil {
		s.strings = interners.Get().(*interner)
	}
	return s
}

func (s *session) end() {
	if s.strings != nil {
		interners.Put(s.strings)
	}
}

// find makes the value at p the one of that type and text, if it may be shared and is known.
// Otherwise the caller decodes it, and then has it kept.
func (s *session) find(n *node, format format, text []byte, p unsafe.Pointer) (l lookup, ok bool) {
	if s.own || !n.shares || len(text) < n.minimum || !s.budget.take(len(text)) {
		return l, false
	}
	return s.shared.reuse(n, format, text, p)
}

// keep makes the value at p known that was not found, unless it refers to memory that methods may
// write to: before counts such memory when the decoding of the value began.
func (s *session) keep(l *lookup, n *node, p unsafe.Pointer, before written) {
	if l.again && s.written == before {
		s.shared.keep(l, n, p, s.base)
	}
}

// newPointer returns the memory that the pointer at p points to from then on.
func (s *session) newPointer(n *node, p unsafe.Pointer) unsafe.Pointer {
	value := reflect.New(n.elem.typ).UnsafePointer()
	*(*unsafe.Pointer)(p) = value
	s.written.note(n.elem.writes.Itself)
	return value
}

// newArray returns the array of the slice of that length at p.
func (s *session) newArray(n *node, length int, p unsafe.Pointer) unsafe.Pointer {
	array := n.makeArray(length)
	*(*slice)(p) = slice{array, length, length}
	s.written.note(n.elem.writes.Itself && length > 0)
	return array
}

// reuse makes the value at p the one of that type and text, if it is known.
func (s *Shared) reuse(n *node, format format, text []byte, p unsafe.Pointer) (lookup, bool) {
	found, l, ok := s.parts.find(n, format, text)
	if ok && found != n.part(p, p) {
		n.put(p, found)
		s.reused.Add(1)
		s.saved.Add(uint64(len(text)))
	}
	return l, ok
}

// keep makes the value at p known. A struct is in the memory at base, and is not kept if that is
// nil.
func (s *Shared) keep(l *lookup, n *node, p, base unsafe.Pointer) {
	if made := n.part(p, base); made.at != n.empty {
		s.parts.add(l, made)
	}
}

// hashedBytes limits how often each byte of an object is hashed, on average. An object
// of the usual depth needs half of it. One that is nested much deeper would be hashed anew
// at each level.
const hashedBytes = 16

// budget is the number of bytes of an object that may be hashed yet.
type budget int

func budgetOf(text []byte) budget { return budget(hashedBytes * len(text)) }

// take reports whether so many bytes may be hashed, and that they are.
func (b *budget) take(bytes int) bool {
	if bytes > int(*b) {
		return false
	}
	*b -= budget(bytes)
	return true
}

// written counts the memory of an object that methods may write to although they only read
// the object. What refers to such memory is not shared.
type written int

func (w *written) note(writes bool) {
	if writes {
		*w++
	}
}

// part is a value that was decoded.
type part struct {
	// at is the address that a pointer, map or slice points to, or the beginning of the memory that a
	// struct is in: weak pointers to many places of one array take long.
	at unsafe.Pointer
	// where is the length of a slice, or the offset of a struct.
	where int
}

// weakPart is a part that is there as long as an object has it.
type weakPart struct {
	at    weak.Pointer[byte]
	where int
}

func (p part) weak() weakPart {
	return weakPart{weak.Make((*byte)(p.at)), p.where}
}

// strong returns the part, and whether it is still there.
func (w weakPart) strong() (part, bool) {
	at := unsafe.Pointer(w.at.Value())
	return part{at, w.where}, at != nil
}

// put makes the value at p one that was decoded before.
func (n *node) put(p unsafe.Pointer, found part) {
	switch n.kind {
	case structKind:
		reflect.NewAt(n.typ, p).Elem().Set(reflect.NewAt(n.typ, unsafe.Add(found.at, found.where)).Elem())
	case sliceKind, stringsKind:
		*(*slice)(p) = slice{found.at, found.where, found.where}
	default: // pointers and maps
		*(*unsafe.Pointer)(p) = found.at
	}
}

// part returns the value at p as one that others can have too. A struct is in the memory at
// base.
func (n *node) part(p, base unsafe.Pointer) part {
	switch n.kind {
	case structKind:
		return part{base, int(uintptr(p) - uintptr(base))}
	case sliceKind, stringsKind:
		s := (*slice)(p)
		return part{s.at, s.length}
	default:
		return part{at: *(*unsafe.Pointer)(p)}
	}
}

// slice is the layout of a slice.
type slice struct {
	at               unsafe.Pointer
	length, capacity int
}

// clip takes the spare capacity from a slice. Objects that share it would append to
// the same memory.
func (s *slice) clip() { s.capacity = s.length }

// clip takes the spare capacity from the slices of a value that has decoded itself.
func (n *node) clip(p unsafe.Pointer) {
	for _, offset := range n.slices {
		(*slice)(unsafe.Add(p, offset)).clip()
	}
}
