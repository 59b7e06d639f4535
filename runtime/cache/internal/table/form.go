package table

import (
	"sync/atomic"
	"unsafe"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// Object is an object in the form in which a table holds it: one word, whatever its type. A Form converts
// between an object and this word.
type Object = unsafe.Pointer

// Form is the form in which a table holds its objects. A Form never changes.
//
// An object is an interface of two words: its Go type and its value. In most tables all objects have one Go
// type. The form then has the type, once, and the table holds the other word. Objects of several Go types
// are boxed, and so are objects with metadata beside them: the word then points to a copy of a Received.
type Form struct {
	goType unsafe.Pointer
	boxed  bool
}

// FormOf returns the form for objects of the Go type of an example.
func FormOf(example any) Form { return Form{goType: words(&example)[0]} }

// Boxed returns the form for all objects.
func Boxed() Form { return Form{boxed: true} }

// Holds reports whether an object can be held in this form.
func (f *Form) Holds(r protocol.Received) bool {
	return f.boxed || r.Sent == nil && words(&r.Object)[0] == f.goType
}

// Only reports whether the form is only for objects of the Go type of an example.
func (f *Form) Only(example any) bool { return !f.boxed && words(&example)[0] == f.goType }

// HoldsAny reports whether any object can be held in this form.
func (f *Form) HoldsAny() bool { return f.boxed }

// Pack returns an object as one word. The form must be able to hold the object.
func (f *Form) Pack(r protocol.Received) Object {
	if !f.boxed {
		return words(&r.Object)[1]
	}
	box := new(protocol.Received)
	*box = r
	return Object(box)
}

// Unpack returns the object of a word.
func (f *Form) Unpack(o Object) (obj any) {
	if f.boxed {
		return (*protocol.Received)(o).Object
	}
	*words(&obj) = [2]unsafe.Pointer{f.goType, o}
	return obj
}

// Received returns the object of a word, with its metadata.
func (f *Form) Received(o Object) protocol.Received {
	if f.boxed {
		return *(*protocol.Received)(o)
	}
	return protocol.Received{Object: f.Unpack(o)}
}

// words returns the type and the value of an interface.
func words(p *any) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(p)) }

func load(p *Object) Object { return atomic.LoadPointer(p) }

func store(p *Object, o Object) { atomic.StorePointer(p, o) }
