package source

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// typedSource is a source of any objects as one of Ts, which they are. An informer reads from
// the source below: see Untyped.
type typedSource[T any] struct{ untyped cache.Source[any] }

func typedOf[T any](untyped cache.Source[any]) cache.Source[T] {
	if s, ok := untyped.(cache.Source[T]); ok {
		return s
	}
	return typedSource[T]{untyped}
}

// Untyped returns the source below. Informers look for this method.
func (s typedSource[T]) Untyped() cache.Source[any] { return s.untyped }

func (s typedSource[T]) Describe() cache.SourceInfo { return infoOf(s.untyped) }

func (s typedSource[T]) List(ctx context.Context, options metav1.ListOptions, each func(T, error)) (metav1.ListMeta, error) {
	return s.untyped.List(ctx, options, func(obj any, err error) {
		object, _ := obj.(T) // none with an error
		each(object, err)
	})
}

func (s typedSource[T]) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[T], error) {
	w, err := s.untyped.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return typedWatcher[T]{w}, nil
}

type typedWatcher[T any] struct{ untyped cache.Watcher[any] }

func (w typedWatcher[T]) Next() (cache.WatchEvent[T], error) {
	event, err := w.untyped.Next()
	object, _ := event.Object.(T) // none in a bookmark
	return cache.WatchEvent[T]{
		Type:             event.Type,
		Object:           object,
		ResourceVersion:  event.ResourceVersion,
		InitialEventsEnd: event.InitialEventsEnd,
	}, err
}

func (w typedWatcher[T]) Stop() { w.untyped.Stop() }
