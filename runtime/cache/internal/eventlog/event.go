package eventlog

import "github.com/informer-gen/informer-gen/runtime/cache/cause"

// Event is a change of a store, on its way to the handlers.
type Event struct {
	Kind              Kind
	FinalStateUnknown bool
	// Watched reports whether the event's cause is a watch event, not the cause of its Chain. Released
	// reports whether the cause is that the object is not selected any more.
	Watched, Released bool
	// At is the time of the event, in milliseconds of the appender's clock.
	At uint32
	// Old is the object that the store had before, if Kind is Updated or Deleted.
	Old any
	// Object is the new object, or the last one if Kind is Deleted.
	Object any
}

var (
	watched  = cause.Cause{Kind: cause.Watch}
	released = cause.Cause{Kind: cause.Released}
)

// Cause returns the cause of the event. chain is the cause of its Chain.
func (e *Event) Cause(chain *cause.Cause) *cause.Cause {
	switch {
	case e.Released:
		return &released
	case e.Watched:
		return &watched
	}
	return chain
}

// Kind says how an object changed in the store.
type Kind uint8

// The changes of an object.
const (
	Added Kind = iota
	Updated
	Deleted
	// Unchanged means that a relist found the object unchanged.
	Unchanged
	// Initial means that the store held the object when the handler joined. Such an event is not in the
	// log.
	Initial
)
