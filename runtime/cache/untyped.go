package cache

import (
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// What is compiled once for all types has objects of the type any. Here it meets the
// handlers of one type.

// untypedHandler returns a handler for objects of any type.
func untypedHandler[T any](handler Handler[T]) Handler[any] {
	if handle, ok := handler.(batchFunc[T]); ok {
		return &batchOf[T]{handle: handle}
	}
	if untyped, ok := handler.(Handler[any]); ok {
		return untyped
	}
	return handlerOf[T]{handler}
}

// handlerOf is a Handler of Ts as one of any.
type handlerOf[T any] struct{ typed Handler[T] }

func (h handlerOf[T]) OnAdd(obj any, initial bool) { h.typed.OnAdd(reader.As[T](obj), initial) }

func (h handlerOf[T]) OnUpdate(old, obj any) { h.typed.OnUpdate(reader.As[T](old), reader.As[T](obj)) }

func (h handlerOf[T]) OnDelete(last any, finalStateUnknown bool) {
	h.typed.OnDelete(reader.As[T](last), finalStateUnknown)
}

func (h handlerOf[T]) OnRelease(last any) { release(h.typed, reader.As[T](last)) }

// release calls a handler for an object that was released, if it has a method for that.
func release[T any](handler Handler[T], last T) {
	if r, ok := handler.(releaser[T]); ok {
		r.OnRelease(last)
	}
}
