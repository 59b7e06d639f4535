package cache

import (
	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// untypedHandler adapts a client-go handler to the core.
type untypedHandler struct {
	handler ResourceEventHandler
}

func (h untypedHandler) OnAdd(obj any, initial bool) { h.handler.OnAdd(obj, initial) }

func (h untypedHandler) OnUpdate(old, obj any) { h.handler.OnUpdate(old, obj) }

func (h untypedHandler) OnDelete(last any, finalStateUnknown bool) {
	if finalStateUnknown {
		h.handler.OnDelete(tombstone(last))
		return
	}
	h.handler.OnDelete(last)
}

func (h untypedHandler) OnRelease(last any) { release(h.handler, last) }

// release calls OnRelease of a handler that is a Releaser.
func release(handler, last any) {
	if r, ok := handler.(Releaser); ok {
		r.OnRelease(last)
	}
}

// typedHandler adapts a typed client-go handler to the untyped interface.
type typedHandler[T Object] struct {
	handler TypedResourceEventHandler[T]
}

func (h *typedHandler[T]) OnAdd(obj any, initial bool) { h.handler.OnAdd(obj.(T), initial) }

func (h *typedHandler[T]) OnUpdate(old, obj any) { h.handler.OnUpdate(old.(T), obj.(T)) }

func (h *typedHandler[T]) OnDelete(obj any) {
	var deleted DeletedObject[T]
	if unknown, ok := obj.(DeletedFinalStateUnknown); ok {
		deleted.FinalStateUnknown = &unknown
		obj = unknown.Obj
	}
	deleted.OptionalObj, _ = obj.(T)
	h.handler.OnDelete(deleted)
}

func (h *typedHandler[T]) OnRelease(last any) { release(h.handler, last) }

func tombstone(last any) DeletedFinalStateUnknown {
	// The object was in the store, so it has a key.
	name, _ := core.KeyOf(last)
	return DeletedFinalStateUnknown{Key: joinKey(name), Obj: last}
}
