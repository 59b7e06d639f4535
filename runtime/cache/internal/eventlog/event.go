package eventlog

// Event is a change of a store, on its way to the handlers.
type Event struct {
	Kind              Kind
	FinalStateUnknown bool
	// Watched is whether its cause is a watch event, and not that of its Chain.
	Watched bool
	// At is when it happened, in milliseconds of the clock of whoever appends.
	At uint32
	// Old is the object that the store had before, if Kind is Updated or Deleted.
	Old any
	// Object is the new object, or the last one if Kind is Deleted.
	Object any
}

// Kind says how an object changed in the store.
type Kind uint8

// The changes of an object.
const (
	Added Kind = iota
	Updated
	Deleted
	// Unchanged is an object that a relist found as it was.
	Unchanged
	// Initial is an object that the store held when the handler joined. It is not
	// in the log.
	Initial
)
