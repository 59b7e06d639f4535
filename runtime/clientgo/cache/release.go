package cache

// Releaser is a ResourceEventHandler, or a typed handler, that is also called for an object that is not in
// the informer's shard any more (package shard). The object was not deleted, and last is its last known
// state. Other handlers are not called: for them the object is still there, and they get OnAdd if it comes
// back.
type Releaser interface{ OnRelease(last any) }

// Released is passed to the OnDelete of a handler of DeleteOnRelease, in place of the object, when the
// informer's shard does not have the object any more. It is not a DeletedFinalStateUnknown, so that code
// that does not know it can't take it for a deletion.
type Released struct {
	// Key is the object's key, in the form of MetaNamespaceKeyFunc.
	Key string
	// Obj is the last known state of the object.
	Obj any
}

// DeleteOnRelease returns a handler that calls OnDelete of another one, with a Released, for an object that
// is not in the informer's shard any more.
func DeleteOnRelease(handler ResourceEventHandler) ResourceEventHandler {
	return &releaseHandler{handler}
}

type releaseHandler struct{ ResourceEventHandler }

func (h *releaseHandler) OnRelease(last any) {
	gone := tombstone(last)
	h.OnDelete(Released{Key: gone.Key, Obj: gone.Obj})
}
