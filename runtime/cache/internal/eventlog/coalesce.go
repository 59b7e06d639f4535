package eventlog

import (
	"container/list"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// coalesced holds the events that a handler has not got yet, merged per key, in the order of the first
// event of each. It holds at most one change for each object that exists or that the handler has seen.
type coalesced struct {
	byKey map[types.NamespacedName]*list.Element
	order list.List
}

// change sums up the events of one key since the handler was last called for it.
type change struct {
	key types.NamespacedName
	// at is the time of the first event.
	at uint32
	// seen reports whether the handler has seen an object of the key, which is old. deleted reports whether
	// it must be called for the deletion of old, with the state last. exists reports whether the key has an
	// object now, which is obj.
	seen, deleted, exists bool
	finalStateUnknown     bool
	old, last, obj        any
	// deletedBy is the cause of last, and changedBy the cause of obj.
	deletedBy, changedBy *cause.Cause
}

func newCoalesced() *coalesced {
	return &coalesced{byKey: map[types.NamespacedName]*list.Element{}}
}

func (c *coalesced) len() int { return c.order.Len() }

func (c *coalesced) clear() {
	clear(c.byKey)
	c.order.Init()
}

// merge adds an event of key. why is the cause of its chain.
func (c *coalesced) merge(key types.NamespacedName, e *Event, why *cause.Cause) {
	why = e.Cause(why)
	element, ok := c.byKey[key]
	if !ok {
		first := &change{key: key, at: e.At, changedBy: why}
		switch e.Kind {
		case Updated, Deleted:
			first.seen, first.old, first.exists, first.obj = true, e.Old, true, e.Old
		case Unchanged:
			first.seen, first.old, first.exists, first.obj = true, e.Object, true, e.Object
		}
		element = c.order.PushBack(first)
		c.byKey[key] = element
	}
	known := element.Value.(*change)
	switch e.Kind {
	case Added:
		known.add(e.Object, why)
	case Updated:
		if sameUID(e.Old, e.Object) {
			known.obj, known.changedBy = e.Object, why
			break
		}
		known.remove(e.Old, true, why)
		known.add(e.Object, why)
	case Deleted:
		known.remove(e.Object, e.FinalStateUnknown, why)
	}
	if !known.seen && !known.exists {
		c.forget(element)
	}
}

func (c *change) add(obj any, why *cause.Cause) {
	c.exists, c.obj, c.changedBy = true, obj, why
	if c.deleted && sameUID(c.last, obj) {
		c.deleted = false
	}
}

func (c *change) remove(last any, finalStateUnknown bool, why *cause.Cause) {
	var none any
	c.exists, c.obj = false, none
	// The handler has seen the first of two deleted objects.
	if c.seen && !c.deleted {
		c.deleted, c.last, c.finalStateUnknown, c.deletedBy = true, last, finalStateUnknown, why
	}
}

// take removes and returns the oldest event, if there is one, and the cause of its state. If an object
// replaced another one, take returns a deletion and, at the next call, an addition.
func (c *coalesced) take() (e Event, why *cause.Cause, ok bool) {
	element := c.order.Front()
	if element == nil {
		return e, nil, false
	}
	oldest := element.Value.(*change)
	if oldest.deleted {
		e = Event{Kind: Deleted, At: oldest.at, Object: oldest.last, FinalStateUnknown: oldest.finalStateUnknown}
		why = oldest.deletedBy
		*oldest = change{key: oldest.key, at: oldest.at, exists: oldest.exists, obj: oldest.obj, changedBy: oldest.changedBy}
		if !oldest.exists {
			c.forget(element)
		}
		return e, why, true
	}
	c.forget(element)
	if oldest.seen {
		return Event{Kind: Updated, At: oldest.at, Old: oldest.old, Object: oldest.obj}, oldest.changedBy, true
	}
	return Event{Kind: Added, At: oldest.at, Object: oldest.obj}, oldest.changedBy, true
}

func (c *coalesced) forget(element *list.Element) {
	delete(c.byKey, element.Value.(*change).key)
	c.order.Remove(element)
}

// sameUID reports whether a and b are states of the same object.
func sameUID(a, b any) bool {
	ma, err := meta.Accessor(a)
	if err != nil {
		return false
	}
	mb, err := meta.Accessor(b)
	return err == nil && ma.GetUID() == mb.GetUID()
}
