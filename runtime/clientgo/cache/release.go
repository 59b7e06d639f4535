package cache

// Releaser is a ResourceEventHandler, or a typed one, that is also called for an object which
// the shard of the informer does not have any more (package shard of the runtime). The object
// was not deleted, and last is the last known state of it. Other handlers are not called then:
// they take the object for one that is still there, and are called with OnAdd if it comes back.
type Releaser interface{ OnRelease(last any) }

// Released is given to a handler of DeleteOnRelease, in place of the object, when
// the shard of the informer does not have it any more. It is no DeletedFinalStateUnknown, so
// that who does not know it can't take it for a deletion.
type Released struct {
	// Key is the object's, as MetaNamespaceKeyFunc has it.
	Key string
	// Obj is the last known state of the object.
	Obj any
}

// DeleteOnRelease returns a handler that calls OnDelete of another one, with a Released, for
// an object that the shard of the informer does not have any more.
func DeleteOnRelease(handler ResourceEventHandler) ResourceEventHandler {
	return &releaseHandler{handler}
}

type releaseHandler struct{ ResourceEventHandler }

func (h *releaseHandler) OnRelease(last any) {
	gone := tombstone(last)
	h.OnDelete(Released{Key: gone.Key, Obj: gone.Obj})
}
