package cache

import (
	"container/list"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
)

// coalesced holds the events that a handler is behind with, merged per key, in the
// order of the first of each. It holds no more than one change for each object that
// the handler has seen or that exists.
type coalesced struct {
	byKey map[types.NamespacedName]*list.Element
	order list.List
}

// change is what has happened to one key since its handler was last called for it.
type change struct {
	key types.NamespacedName
	// at is when the first event happened.
	at uint32
	// seen is whether the handler has seen an object of the key, which is old.
	seen bool
	old  any
	// deleted is whether the handler must be called for the deletion of old, in the
	// state last.
	deleted           bool
	finalStateUnknown bool
	last              any
	// exists is whether there is an object now, which is obj.
	exists bool
	obj    any
}

func newCoalesced() *coalesced {
	return &coalesced{byKey: map[types.NamespacedName]*list.Element{}}
}

func (c *coalesced) len() int { return c.order.Len() }

func (c *coalesced) clear() {
	clear(c.byKey)
	c.order.Init()
}

// merge adds an event of key.
func (c *coalesced) merge(key types.NamespacedName, e *eventlog.Event) {
	element, ok := c.byKey[key]
	if !ok {
		first := &change{key: key, at: e.At}
		switch e.Kind {
		case eventlog.Updated, eventlog.Deleted:
			first.seen, first.old, first.exists, first.obj = true, e.Old, true, e.Old
		case eventlog.Unchanged:
			first.seen, first.old, first.exists, first.obj = true, e.Object, true, e.Object
		}
		element = c.order.PushBack(first)
		c.byKey[key] = element
	}
	known := element.Value.(*change)
	switch e.Kind {
	case eventlog.Added:
		known.add(e.Object)
	case eventlog.Updated:
		if sameUID(e.Old, e.Object) {
			known.obj = e.Object
			break
		}
		known.remove(e.Old, true)
		known.add(e.Object)
	case eventlog.Deleted:
		known.remove(e.Object, e.FinalStateUnknown)
	}
	if !known.seen && !known.exists {
		c.forget(element)
	}
}

func (c *change) add(obj any) {
	c.exists, c.obj = true, obj
	if c.deleted && sameUID(c.last, obj) {
		c.deleted = false
	}
}

func (c *change) remove(last any, finalStateUnknown bool) {
	var none any
	c.exists, c.obj = false, none
	// Of two deleted objects, the handler has seen the first.
	if c.seen && !c.deleted {
		c.deleted, c.last, c.finalStateUnknown = true, last, finalStateUnknown
	}
}

// take removes and returns the oldest event, if there is one. An object in the
// place of another is a deletion and then, the next time, an addition.
func (c *coalesced) take() (e eventlog.Event, ok bool) {
	element := c.order.Front()
	if element == nil {
		return e, false
	}
	oldest := element.Value.(*change)
	if oldest.deleted {
		e = eventlog.Event{Kind: eventlog.Deleted, At: oldest.at, Object: oldest.last, FinalStateUnknown: oldest.finalStateUnknown}
		*oldest = change{key: oldest.key, at: oldest.at, exists: oldest.exists, obj: oldest.obj}
		if !oldest.exists {
			c.forget(element)
		}
		return e, true
	}
	c.forget(element)
	if oldest.seen {
		return eventlog.Event{Kind: eventlog.Updated, At: oldest.at, Old: oldest.old, Object: oldest.obj}, true
	}
	return eventlog.Event{Kind: eventlog.Added, At: oldest.at, Object: oldest.obj}, true
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
