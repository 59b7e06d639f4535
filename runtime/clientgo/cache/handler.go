package cache

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// untypedHandler is a client-go handler as one of the core.
type untypedHandler[T runtime.Object] struct {
	handler ResourceEventHandler
}

func (h untypedHandler[T]) OnAdd(obj T, initial bool) { h.handler.OnAdd(obj, initial) }

func (h untypedHandler[T]) OnUpdate(old, obj T) { h.handler.OnUpdate(old, obj) }

func (h untypedHandler[T]) OnDelete(last T, finalStateUnknown bool) {
	if finalStateUnknown {
		h.handler.OnDelete(tombstone(last))
		return
	}
	h.handler.OnDelete(last)
}

// typedHandler is a typed client-go handler as one of the core.
type typedHandler[T Object] struct {
	handler TypedResourceEventHandler[T]
}

func (h typedHandler[T]) OnAdd(obj T, initial bool) { h.handler.OnAdd(obj, initial) }

func (h typedHandler[T]) OnUpdate(old, obj T) { h.handler.OnUpdate(old, obj) }

func (h typedHandler[T]) OnDelete(last T, finalStateUnknown bool) {
	deleted := DeletedObject[T]{OptionalObj: last}
	if finalStateUnknown {
		unknown := tombstone(last)
		deleted.FinalStateUnknown = &unknown
	}
	h.handler.OnDelete(deleted)
}

func tombstone(last any) DeletedFinalStateUnknown {
	// The object was in the store, so it has a key.
	name, _ := core.KeyOf(last)
	return DeletedFinalStateUnknown{Key: joinKey(name), Obj: last}
}
