package table

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Object is an object as a table holds it: one word, whatever its type. A Form makes
// it from a T, and a T from it.
type Object = unsafe.Pointer

// Form is how objects of a T are held. A form never changes.
//
// A pointer is held as it is. Of an interface, the word with the Go type is the same
// for all objects of one Go type: it is in the form, once, and a table holds the other
// word. Anything else is held as a pointer to a copy, also an interface whose objects
// are of several Go types.
type Form[T any] struct {
	kind kind
	// goType is the first word of an interface.
	goType unsafe.Pointer
}

type kind uint8

const (
	boxed kind = iota
	pointer
	oneType
)

// FormOf returns the form for objects of the Go type that one of them has.
func FormOf[T any](example T) Form[T] {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer:
		return Form[T]{kind: pointer}
	case reflect.Interface:
		return Form[T]{kind: oneType, goType: words(&example)[0]}
	default:
		return Form[T]{}
	}
}

// Boxed returns the form for objects of any Go type.
func Boxed[T any]() Form[T] { return Form[T]{} }

// Holds reports whether obj can be held in this form.
func (f *Form[T]) Holds(obj T) bool {
	return f.kind != oneType || words(&obj)[0] == f.goType
}

// HoldsAny reports whether any object can be held in this form.
func (f *Form[T]) HoldsAny() bool { return f.kind != oneType }

// Pack returns obj, which the form must hold, as one word.
func (f *Form[T]) Pack(obj T) Object {
	switch f.kind {
	case pointer:
		return *(*Object)(unsafe.Pointer(&obj))
	case oneType:
		return words(&obj)[1]
	default:
		box := new(T)
		*box = obj
		return Object(box)
	}
}

// Unpack returns the object of a word.
func (f *Form[T]) Unpack(o Object) (obj T) {
	switch f.kind {
	case pointer:
		return Pointer[T](o)
	case oneType:
		*words(&obj) = [2]unsafe.Pointer{f.goType, o}
	default:
		return *(*T)(o)
	}
	return obj
}

// Pointer is Unpack for a T that is a pointer, whatever the form.
func Pointer[T any](o Object) (obj T) {
	*(*Object)(unsafe.Pointer(&obj)) = o
	return obj
}

// Copy unpacks objects into out, which is as long.
func (f *Form[T]) Copy(out []T, objects []Object) {
	if f.kind == pointer {
		copy(unsafe.Slice((*Object)(unsafe.Pointer(unsafe.SliceData(out))), len(out)), objects)
		return
	}
	for i, o := range objects {
		out[i] = f.Unpack(o)
	}
}

// words are those of an interface: its type, or its type and methods, and its value.
func words[T any](p *T) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(p)) }

func load(p *Object) Object { return atomic.LoadPointer(p) }

func store(p *Object, o Object) { atomic.StorePointer(p, o) }
