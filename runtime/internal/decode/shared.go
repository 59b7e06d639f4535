package decode

import (
	"reflect"
	"slices"
	"unsafe"
	"weak"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// session is the decoding of one object, in any format.
type session struct {
	shared  *Shared
	strings *interner // nil if strings are not shared
	// own reports whether the object shares nothing but strings.
	own               bool
	dropManagedFields bool
	written           written
	// budget is the number of bytes of the object that may be hashed yet.
	budget int
	// base is the memory that is being filled, or nil if the object will have a copy of it.
	base unsafe.Pointer
}

// hashedBytes limits how often each byte of an object is hashed, on average. An object
// of the usual depth needs half of it. One that is nested much deeper would be hashed anew
// at each level.
const hashedBytes = 16

// begin returns the session of an object that is decoded to that place.
func (d *Decoder) begin(text []byte, how decoding.Options, p unsafe.Pointer) session {
	s := session{
		shared:            d.shared,
		own:               how.Exclusive || d.shared == nil,
		dropManagedFields: how.DropManagedFields,
		budget:            hashedBytes * len(text),
		base:              p,
	}
	if d.shared != nil {
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
	if s.own || !n.shares || len(text) < n.minimum || len(text) > s.budget {
		return l, false
	}
	s.budget -= len(text)
	found, l, ok := s.shared.find(n, format, text)
	if ok && found != n.part(p, p) {
		n.put(p, found)
		s.shared.reused.Add(1)
		s.shared.saved.Add(uint64(len(text)))
	}
	return l, ok
}

// keep makes the value at p known that was not found, unless it refers to memory that methods may
// write to: before counts such memory when the decoding of the value began. A struct in memory
// that the object will have a copy of is not kept.
func (s *session) keep(l *lookup, n *node, p unsafe.Pointer, before written) {
	if !l.again || s.written != before {
		return
	}
	if made := n.part(p, s.base); made.at != nil && made.at != noElements {
		s.shared.add(l, made)
	}
}

// newPointer returns the memory that the pointer at p points to from then on.
func (s *session) newPointer(n *node, p unsafe.Pointer) unsafe.Pointer {
	value := reflect.New(n.elem.typ).UnsafePointer()
	*(*unsafe.Pointer)(p) = value
	s.written.note(n.elem.writes.Itself)
	return value
}

// noElements is the array of each slice that is empty.
var noElements = unsafe.Pointer(unsafe.SliceData([]byte{}))

// newArray returns the array of the slice of that length at p.
func (s *session) newArray(n *node, length int, p unsafe.Pointer) unsafe.Pointer {
	if length == 0 {
		*(*slice)(p) = slice{at: noElements}
		return noElements
	}
	s.written.note(n.elem.writes.Itself)
	// Grow allocates nothing but the array. At p it would read memory before that is written, which
	// takes two page faults if it is new to the process.
	var made slice
	reflect.NewAt(n.typ, unsafe.Pointer(&made)).Elem().Grow(length)
	*(*slice)(p) = slice{made.at, length, length}
	return made.at
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
	for _, offset := range n.contents {
		clipAny(*(*map[string]any)(unsafe.Add(p, offset)))
	}
}

// clipAny takes the spare capacity from the slices of a value without a Go type, at any depth.
func clipAny(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = clipAny(member)
		}
	case []any:
		for i, member := range value {
			value[i] = clipAny(member)
		}
		return slices.Clip(value)
	}
	return value
}
