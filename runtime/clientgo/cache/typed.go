package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// TypedObject is the constraint of typed informers: an API type as a pointer.
type TypedObject interface {
	runtime.Object
	Object
}

// Typed returns a typed informer as a client-go TypedSharedIndexInformer. Its
// handlers, indexes and lookups are typed all the way down to the store. See
// Untyped.
func Typed[T TypedObject](informer *core.Informer[T], options AdapterOptions) TypedSharedIndexInformer[T] {
	return &typedInformer[T]{newUntyped(informer, options)}
}

// NewTypedSharedIndexInformer returns the informer itself if it is typed, as
// those of Typed are, and otherwise a wrapper around it. It accepts every
// implementation of SharedIndexInformer; the objects of it must be of type T.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	if typed, ok := informer.(TypedSharedIndexInformer[T]); ok {
		return typed
	}
	return cache.NewTypedSharedIndexInformer[T](informer)
}

// typedInformer adds the typed methods to an adapter.
type typedInformer[T TypedObject] struct {
	*untypedInformer[T]
}

func (s *typedInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	var o HandlerOptions
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	return s.addHandler(handler, typedHandler[T]{handler}, o)
}

func (s *typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	if s.IsStopped() {
		return errIndexerStopped
	}
	return s.indexer.AddTypedIndexers(indexers)
}

func (s *typedInformer[T]) GetTypedIndexer() TypedIndexer[T] { return s.indexer }
