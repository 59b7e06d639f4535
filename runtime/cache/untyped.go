package cache

import (
	"context"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// What is compiled once for all types has objects of the type any. Here it meets the
// sources and handlers of one type.

// untypedSource returns a source for objects of any type. Those of package source are
// one below, which saves a conversion of each object.
func untypedSource[T any](source Source[T]) Source[any] {
	switch s := source.(type) {
	case Source[any]:
		return s
	case interface{ Untyped() Source[any] }:
		return s.Untyped()
	}
	return sourceOf[T]{source}
}

// untypedPart returns the source of one namespace, for objects of any type.
func untypedPart[T any](in func(namespace string) any) func(namespace string) Source[any] {
	return func(namespace string) Source[any] {
		switch source := in(namespace).(type) {
		case Source[any]:
			return source
		case Source[T]:
			return untypedSource(source)
		default:
			return noSource{fmt.Errorf("source of namespace %q is a %T, and not of objects of type %v", namespace, source, reflect.TypeFor[T]())}
		}
	}
}

// noSource is a source whose requests fail.
type noSource struct{ err error }

func (s noSource) List(context.Context, metav1.ListOptions, func(any, error)) (metav1.ListMeta, error) {
	return metav1.ListMeta{}, s.err
}

func (s noSource) Watch(context.Context, metav1.ListOptions) (Watcher[any], error) {
	return nil, s.err
}

// sourceOf is a Source of Ts as one of any.
type sourceOf[T any] struct{ typed Source[T] }

// Describe returns the description of the source below: parts of an informer ask for it.
func (s sourceOf[T]) Describe() SourceInfo { return describe(s.typed) }

func (s sourceOf[T]) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return s.typed.List(ctx, options, func(obj T, err error) { each(obj, err) })
}

func (s sourceOf[T]) Watch(ctx context.Context, options metav1.ListOptions) (Watcher[any], error) {
	w, err := s.typed.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return watcherOf[T]{w}, nil
}

// watcherOf is a Watcher of Ts as one of any.
type watcherOf[T any] struct{ typed Watcher[T] }

func (w watcherOf[T]) Next() (WatchEvent[any], error) {
	event, err := w.typed.Next()
	return WatchEvent[any]{
		Type:             event.Type,
		Object:           event.Object,
		ResourceVersion:  event.ResourceVersion,
		InitialEventsEnd: event.InitialEventsEnd,
	}, err
}

func (w watcherOf[T]) Stop() { w.typed.Stop() }

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
