package cache

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Code that is compiled once for all types has objects of the type any. The functions of this file convert
// the options, indexes and handlers of one type to it.

// untypedOptions returns options for objects of any type.
func untypedOptions[T any](o *Options[T]) Options[any] {
	untyped := Options[any]{
		Name:      o.Name,
		Indexes:   indexesOf[any](o.Indexes),
		Resync:    o.Resync,
		Transform: untypedTransform(o.Transform),
		Metrics:   o.Metrics,
		ListWatch: o.ListWatch,
	}
	untyped.DisableWatchList = o.DisableWatchList || o.ListWatch.DisableWatchList
	return untyped
}

func untypedTransform[T any](transform func(T) (T, error)) func(any) (any, error) {
	if transform == nil {
		return nil
	}
	return func(obj any) (any, error) { return transform(reader.As[T](obj)) }
}

// indexesOf converts indexes between objects of the type From and To, which are the same objects.
func indexesOf[To, From any](indexes []Index[From]) []Index[To] {
	if same, ok := any(indexes).([]Index[To]); ok {
		return same
	}
	out := make([]Index[To], len(indexes))
	for i, x := range indexes {
		out[i] = Index[To]{Name: x.Name, namespace: x.namespace}
		if value := x.Value; value != nil {
			out[i].Value = func(obj To) string { return value(reader.As[From](obj)) }
		}
		if values := x.Values; values != nil {
			out[i].Values = func(obj To) ([]string, error) { return values(reader.As[From](obj)) }
		}
	}
	return out
}

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

// handlerOf makes a Handler[any] of a Handler[T].
type handlerOf[T any] struct{ typed Handler[T] }

func (h handlerOf[T]) OnAdd(obj any, initial bool) { h.typed.OnAdd(reader.As[T](obj), initial) }

func (h handlerOf[T]) OnUpdate(old, obj any) { h.typed.OnUpdate(reader.As[T](old), reader.As[T](obj)) }

func (h handlerOf[T]) OnDelete(last any, finalStateUnknown bool) {
	h.typed.OnDelete(reader.As[T](last), finalStateUnknown)
}

func (h handlerOf[T]) OnRelease(last any) { release(h.typed, reader.As[T](last)) }

// release calls a handler for a released object, if it has a method OnRelease.
func release[T any](handler Handler[T], last T) {
	if r, ok := handler.(releaser[T]); ok {
		r.OnRelease(last)
	}
}

// batchOf is a batch whose events go to a batchFunc.
type batchOf[T any] struct {
	handle batchFunc[T]
	events []Event[T]
	why    cause.Cause
}

func (b *batchOf[T]) cause() *cause.Cause { return &b.why }

func (b *batchOf[T]) OnAdd(obj any, initial bool) {
	b.events = append(b.events, Event[T]{Type: watch.Added, Object: reader.As[T](obj), Initial: initial, Cause: b.why})
}

func (b *batchOf[T]) OnUpdate(old, obj any) {
	b.events = append(b.events, Event[T]{Type: watch.Modified, Old: reader.As[T](old), Object: reader.As[T](obj), Cause: b.why})
}

func (b *batchOf[T]) OnDelete(last any, finalStateUnknown bool) {
	b.events = append(b.events, Event[T]{Type: watch.Deleted, Object: reader.As[T](last), FinalStateUnknown: finalStateUnknown, Cause: b.why})
}

func (b *batchOf[T]) OnRelease(last any) {
	b.events = append(b.events, Event[T]{Type: Released, Object: reader.As[T](last), Cause: b.why})
}

func (b *batchOf[T]) flush() {
	if len(b.events) > 0 {
		b.handle(b.events)
		b.drop()
	}
}

func (b *batchOf[T]) drop() {
	clear(b.events)
	b.events = b.events[:0]
}
