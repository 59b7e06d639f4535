//go:build before37

package cache

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Object is the constraint of typed handlers: an API type as a pointer.
type Object interface {
	comparable
	GetName() string
	GetNamespace() string
}

// TypedSharedIndexInformer is a SharedIndexInformer with typed handlers and indexes.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer
	// AddTypedEventHandler adds a handler with at most one HandlerOptions.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers adds all of the indexers, or on a conflict none.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer returns the indexer of GetIndexer with typed methods.
	GetTypedIndexer() TypedIndexer[T]
}

// TypedIndexFunc returns the values that an object has in an index.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers are index functions by name.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexer is an Indexer with typed lookups.
type TypedIndexer[T any] interface {
	Indexer
	// TypedIndex returns the objects that have a value of obj in the index.
	TypedIndex(indexName string, obj T) ([]T, error)
	// ByTypedIndex returns the objects that have the value in the index.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)
	// AddTypedIndexers adds all of the indexers, or on a conflict none.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

// TypedIndexerFuncToIndexerFunc makes an IndexFunc of a typed one.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	return func(obj any) ([]string, error) {
		t, ok := obj.(T)
		if !ok {
			return nil, fmt.Errorf("index: %w", typeError("object", obj, reflect.TypeFor[T]()))
		}
		return indexer(t)
	}
}

// TypedIndexersToIndexers makes Indexers of typed ones.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	return untypedIndexers(indexers)
}

// TypedResourceEventHandler is a ResourceEventHandler for objects of one type. It must not mutate them.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// DeletedObject describes an object that was deleted.
type DeletedObject[T Object] struct {
	// OptionalObj is the last known state, or nil if none is known.
	OptionalObj T
	// FinalStateUnknown is set if OptionalObj may be older than the object's last state.
	FinalStateUnknown *DeletedFinalStateUnknown
}

// GetKey returns the key of the object in the store.
func (d DeletedObject[T]) GetKey() string {
	if d.FinalStateUnknown != nil {
		return d.FinalStateUnknown.Key
	}
	return d.GetObjectName().String()
}

// GetObjectName returns the namespace and the name. The namespace is empty for a key without one.
func (d DeletedObject[T]) GetObjectName() ObjectName {
	var none T
	switch {
	case d.FinalStateUnknown != nil:
		if namespace, name, ok := strings.Cut(d.FinalStateUnknown.Key, "/"); ok {
			return ObjectName{Namespace: namespace, Name: name}
		}
		return ObjectName{Name: d.FinalStateUnknown.Key}
	case d.OptionalObj == none:
		return ObjectName{}
	default:
		return ObjectName{Namespace: d.OptionalObj.GetNamespace(), Name: d.OptionalObj.GetName()}
	}
}

// GetName returns the name without the namespace.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace returns the namespace, or "".
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// TypedResourceEventHandlerFuncs is a handler made of functions. Each of them may be nil.
type TypedResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (f TypedResourceEventHandlerFuncs[T]) OnAdd(obj T, _ bool) {
	if f.AddFunc != nil {
		f.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (f TypedResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if f.UpdateFunc != nil {
		f.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (f TypedResourceEventHandlerFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if f.DeleteFunc != nil {
		f.DeleteFunc(obj)
	}
}

// TypedResourceEventHandlerDetailedFuncs is a TypedResourceEventHandlerFuncs whose AddFunc also gets
// whether the object was in the initial list.
type TypedResourceEventHandlerDetailedFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (f TypedResourceEventHandlerDetailedFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if f.AddFunc != nil {
		f.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (f TypedResourceEventHandlerDetailedFuncs[T]) OnUpdate(oldObj, newObj T) {
	if f.UpdateFunc != nil {
		f.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (f TypedResourceEventHandlerDetailedFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if f.DeleteFunc != nil {
		f.DeleteFunc(obj)
	}
}

// TypedFilteringResourceEventHandler calls a handler with the objects that pass a filter. An object that
// begins to pass is added, and an object that no longer passes is deleted.
type TypedFilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

// OnAdd calls the handler if the object passes.
func (f TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if f.FilterFunc(obj) {
		f.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls the handler if one of the states passes.
func (f TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	switch before, after := f.FilterFunc(oldObj), f.FilterFunc(newObj); {
	case before && after:
		f.Handler.OnUpdate(oldObj, newObj)
	case after:
		f.Handler.OnAdd(newObj, false)
	case before:
		f.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

// OnDelete calls the handler if the last known state passes.
func (f TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if f.FilterFunc(obj.OptionalObj) {
		f.Handler.OnDelete(obj)
	}
}

// ShutDownEventHandler removes a handler and waits until it will not be called again. The handler itself
// must not call it.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	ours, ok := handle.(*registration)
	if !ok {
		return errors.New("registration: not of an informer of this module: its end is not known")
	}
	<-ours.ShutdownChan()
	return nil
}
