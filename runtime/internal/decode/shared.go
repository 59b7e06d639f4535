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
	// own reports whether the object must share nothing but strings.
	own               bool
	dropManagedFields bool
	written           written
	// budget is the number of bytes of the object that may still be hashed.
	budget int
	// base is the memory that is being filled, or nil if the object will have a copy of it.
	base unsafe.Pointer
}

// hashedBytes limits how often each byte of an object is hashed, on average. An object of the usual depth
// needs half of that. An object that is nested much deeper would be hashed anew at each level.
const hashedBytes = 16

// begin returns the session for decoding an object to p.
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

// find sets the value at p to the known part with its type and text, if there is one and it may be shared.
// Otherwise the caller decodes the value, and then calls keep.
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

// keep adds a decoded value at p that find has not found. It does not if the value refers to memory that
// methods may write to: before is the count of such memory when the decoding of the value began. Nor does
// it keep a struct in memory that the object will have a copy of.
func (s *session) keep(l *lookup, n *node, p unsafe.Pointer, before written) {
	if !l.again || s.written != before {
		return
	}
	if made := n.part(p, s.base); made.at != nil && made.at != noElements {
		s.shared.add(l, made)
	}
}

// newPointer allocates memory for the pointer at p, and returns it.
func (s *session) newPointer(n *node, p unsafe.Pointer) unsafe.Pointer {
	value := reflect.New(n.elem.typ).UnsafePointer()
	*(*unsafe.Pointer)(p) = value
	s.written.note(n.elem.writes.Itself)
	return value
}

// noElements is the array of every empty slice.
var noElements = unsafe.Pointer(unsafe.SliceData([]byte{}))

// newArray allocates the array for the slice of the given length at p, and returns it.
func (s *session) newArray(n *node, length int, p unsafe.Pointer) unsafe.Pointer {
	if length == 0 {
		*(*slice)(p) = slice{at: noElements}
		return noElements
	}
	s.written.note(n.elem.writes.Itself)
	// Grow allocates only the array. Called for p itself, it would read memory before that is written, which
	// takes two page faults if the memory is new to the process.
	var made slice
	reflect.NewAt(n.typ, unsafe.Pointer(&made)).Elem().Grow(length)
	*(*slice)(p) = slice{made.at, length, length}
	return made.at
}

// written counts memory of an object to which methods may write although they only read the object. A value
// that refers to such memory is not shared.
type written int

func (w *written) note(writes bool) {
	if writes {
		*w++
	}
}

// part is a decoded value that can be shared.
type part struct {
	// at is the address that a pointer, map or slice points to. For a struct it is the beginning of the
	// memory that the struct is in: weak pointers to many places of one array take long.
	at unsafe.Pointer
	// where is the length of a slice, or the offset of a struct.
	where int
}

// weakPart is a part that exists as long as an object has it.
type weakPart struct {
	at    weak.Pointer[byte]
	where int
}

func (p part) weak() weakPart {
	return weakPart{weak.Make((*byte)(p.at)), p.where}
}

// strong returns the part, and whether it still exists.
func (w weakPart) strong() (part, bool) {
	at := unsafe.Pointer(w.at.Value())
	return part{at, w.where}, at != nil
}

// put sets the value at p to a part that was decoded before.
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

// part returns the value at p as a part. If it is a struct, it is in the memory at base.
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

// clip removes the spare capacity of a slice. Otherwise objects that share it would append to the same
// memory.
func (s *slice) clip() { s.capacity = s.length }

// clip removes the spare capacity of the slices in a value that has decoded itself.
func (n *node) clip(p unsafe.Pointer) {
	for _, offset := range n.slices {
		(*slice)(unsafe.Add(p, offset)).clip()
	}
	for _, offset := range n.contents {
		clipAny(*(*map[string]any)(unsafe.Add(p, offset)))
	}
}

// clipAny removes the spare capacity of the slices in a value without a Go type, at any depth.
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
