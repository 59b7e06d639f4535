package cache

import (
	"context"
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
	return NewTypedSharedIndexInformer[T](Untyped(informer, options))
}

// NewTypedSharedIndexInformer returns an informer as a typed one: itself if it
// is typed, and one that is typed all the way down to the store if it is one of
// Untyped over an informer of T. It accepts every implementation of
// SharedIndexInformer; the objects of it must be of type T. Two of the same
// informer are equal.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	switch i := informer.(type) {
	case TypedSharedIndexInformer[T]:
		return i
	case typeable[T]:
		return typedInformer[T]{i}
	}
	return cache.NewTypedSharedIndexInformer[T](informer)
}

// typeable is what an adapter over an informer of T has for its typed form. The
// compiler makes code of its own for each T of a type parameter that has to be
// comparable, as client-go's Object has; so what has to be is kept small, and
// reaches the adapter by this interface.
type typeable[T any] interface {
	SharedIndexInformer
	WaitForSync(ctx context.Context) error
	HasTransform() bool
	addHandler(given any, h core.Handler[T], options HandlerOptions) (ResourceEventHandlerRegistration, error)
	typedIndexer() TypedIndexer[T]
}

// typedInformer adds the typed methods to an adapter.
type typedInformer[T Object] struct {
	typeable[T]
}

func (s typedInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
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

func (s typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	if s.IsStopped() {
		return errIndexerStopped
	}
	return s.typedIndexer().AddTypedIndexers(indexers)
}

func (s typedInformer[T]) GetTypedIndexer() TypedIndexer[T] { return s.typedIndexer() }
