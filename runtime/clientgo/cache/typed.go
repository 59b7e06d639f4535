package cache

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

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

// NewTypedSharedIndexInformer returns the informer itself if it is typed. For an informer of Untyped over
// an informer of T, it returns one that is typed all the way down to the store. It accepts every
// implementation of SharedIndexInformer whose objects are of type T. Two results for the same informer of
// Untyped are equal.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	if typed, ok := informer.(TypedSharedIndexInformer[T]); ok {
		return typed
	}
	return typedForm(informer, &typedInformer[T]{informer}).(*typedInformer[T])
}

// TypedInformerOf returns a typed informer for one that is known by a narrower interface, such as an
// informer of a controller-runtime cache. It fails if the informer is not a SharedIndexInformer, as in a
// cache with several namespaces. It also fails for an informer of this module whose objects are not of type
// T. The objects of informers of other modules are not checked.
func TypedInformerOf[T Object](informer any) (TypedSharedIndexInformer[T], error) {
	shared, ok := informer.(SharedIndexInformer)
	if !ok {
		return nil, fmt.Errorf("informer of type %T: not a SharedIndexInformer; if it is of a manager's cache with DefaultNamespaces or "+
			"ByObject.Namespaces, which has an informer for each namespace, use the manager's client, or a generated factory", informer)
	}
	if i, ok := shared.(*untypedInformer); ok && i.object != nil {
		if got, want := reflect.TypeOf(i.object), reflect.TypeFor[T](); got != want {
			return nil, fmt.Errorf("informer %q: its objects are of type %v, not %v; ask for the informer of a %v", i.informer.Status().Name, got, want, want)
		}
	}
	return NewTypedSharedIndexInformer[T](shared), nil
}

// typedForm returns the typed form that an informer has, if it is of fresh's type. Otherwise the informer
// gets fresh, and typedForm returns it.
func typedForm(informer, fresh SharedIndexInformer) SharedIndexInformer {
	i, ok := informer.(*untypedInformer)
	if !ok {
		return fresh
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if reflect.TypeOf(i.typed) != reflect.TypeOf(fresh) {
		i.typed = fresh
	}
	return i.typed
}

// typedInformer adds the typed methods to an informer.
//
// The compiler makes separate code for each T of a type parameter that must be comparable, such as
// client-go's Object. Embedding the interface would double that: both the pointer and the struct would have
// its methods.
type typedInformer[T Object] struct{ untyped SharedIndexInformer }

func (s *typedInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	return addTypedHandler(s.untyped, handler, &typedHandler[T]{handler}, options)
}

func (s *typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return s.untyped.AddIndexers(untypedIndexers(indexers))
}

func (s *typedInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return &typedIndexer[T]{s.untyped.GetIndexer()}
}

func (s *typedInformer[T]) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.untyped.AddEventHandler(handler)
}

func (s *typedInformer[T]) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return s.untyped.AddEventHandlerWithResyncPeriod(handler, resyncPeriod)
}

func (s *typedInformer[T]) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	return s.untyped.AddEventHandlerWithOptions(handler, options)
}

func (s *typedInformer[T]) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	return s.untyped.RemoveEventHandler(handle)
}

func (s *typedInformer[T]) GetStore() Store { return s.untyped.GetStore() }

func (s *typedInformer[T]) GetIndexer() Indexer { return s.untyped.GetIndexer() }

func (s *typedInformer[T]) GetController() Controller { return s.untyped.GetController() }

func (s *typedInformer[T]) AddIndexers(indexers Indexers) error {
	return s.untyped.AddIndexers(indexers)
}

func (s *typedInformer[T]) Run(stopCh <-chan struct{}) { s.untyped.Run(stopCh) }

func (s *typedInformer[T]) RunWithContext(ctx context.Context) { s.untyped.RunWithContext(ctx) }

func (s *typedInformer[T]) HasSynced() bool { return s.untyped.HasSynced() }

func (s *typedInformer[T]) HasSyncedChecker() DoneChecker { return SyncedChecker(s.untyped) }

func (s *typedInformer[T]) LastSyncResourceVersion() string {
	return s.untyped.LastSyncResourceVersion()
}

func (s *typedInformer[T]) IsStopped() bool { return s.untyped.IsStopped() }

func (s *typedInformer[T]) SetTransform(transform TransformFunc) error {
	return s.untyped.SetTransform(transform)
}

func (s *typedInformer[T]) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.untyped.SetWatchErrorHandler(handler)
}

func (s *typedInformer[T]) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	return s.untyped.SetWatchErrorHandlerWithContext(handler)
}

// addTypedHandler adds the typed handler given, which adapted makes untyped.
func addTypedHandler(to SharedIndexInformer, given any, adapted ResourceEventHandler, options []HandlerOptions) (ResourceEventHandlerRegistration, error) {
	var o HandlerOptions
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	if i, ok := to.(*untypedInformer); ok {
		return i.addHandler(given, untypedHandler{adapted}, o)
	}
	return to.AddEventHandlerWithOptions(adapted, o)
}
