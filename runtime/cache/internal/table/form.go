package table

import (
	"sync/atomic"
	"unsafe"
)

// Object is an object as a table holds it: one word, whatever its type. A Form makes
// it from an object, and the object from it.
type Object = unsafe.Pointer

// Form is the way in which a table holds its objects. A form never changes.
//
// An object is an interface of two words: its Go type and its value. Mostly all
// objects have one Go type: it is in the form, once, and the table holds the other
// word. Objects of several Go types are boxed: the word points to a copy of both.
type Form struct {
	goType unsafe.Pointer
	boxed  bool
}

// FormOf returns the form for objects of the Go type of an example.
func FormOf(example any) Form { return Form{goType: words(&example)[0]} }

// Boxed returns the form for objects of any Go type.
func Boxed() Form { return Form{boxed: true} }

// Holds reports whether obj can be held in this form.
func (f *Form) Holds(obj any) bool { return f.boxed || words(&obj)[0] == f.goType }

// Only reports whether the form is for objects of the Go type of an example, and no others.
func (f *Form) Only(example any) bool { return !f.boxed && words(&example)[0] == f.goType }

// HoldsAny reports whether any object can be held in this form.
func (f *Form) HoldsAny() bool { return f.boxed }

// Pack returns obj, which the form must hold, as one word.
func (f *Form) Pack(obj any) Object {
	if !f.boxed {
		return words(&obj)[1]
	}
	box := new(any)
	*box = obj
	return Object(box)
}

// Unpack returns the object of a word.
func (f *Form) Unpack(o Object) (obj any) {
	if f.boxed {
		return *(*any)(o)
	}
	*words(&obj) = [2]unsafe.Pointer{f.goType, o}
	return obj
}

// words are the type and the value of an interface.
func words(p *any) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(p)) }

func load(p *Object) Object { return atomic.LoadPointer(p) }

func store(p *Object, o Object) { atomic.StorePointer(p, o) }
