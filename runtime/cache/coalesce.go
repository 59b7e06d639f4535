package cache

import (
	"container/list"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
)

// coalesced holds the events that a handler is behind with, merged per key, in the
// order of the first of each. It holds no more than one change for each object that
// the handler has seen or that exists.
type coalesced[T any] struct {
	byKey map[types.NamespacedName]*list.Element
	order list.List
}

// change is what has become of one key since its handler was last told of it.
type change[T any] struct {
	key types.NamespacedName
	// at is when the first event happened.
	at uint32
	// seen is whether the handler knows an object, which is old.
	seen bool
	old  T
	// deleted is whether the handler must be told that old was deleted, in the
	// state last.
	deleted           bool
	finalStateUnknown bool
	last              T
	// exists is whether there is an object now, which is obj.
	exists bool
	obj    T
}

func newCoalesced[T any]() *coalesced[T] {
	return &coalesced[T]{byKey: map[types.NamespacedName]*list.Element{}}
}

func (c *coalesced[T]) len() int { return c.order.Len() }

func (c *coalesced[T]) clear() {
	clear(c.byKey)
	c.order.Init()
}

// merge adds an event of key.
func (c *coalesced[T]) merge(key types.NamespacedName, e *event[T]) {
	element, ok := c.byKey[key]
	if !ok {
		first := &change[T]{key: key, at: e.at}
		switch e.kind {
		case updated, removed:
			first.seen, first.old, first.exists, first.obj = true, e.old, true, e.old
		case unchanged:
			first.seen, first.old, first.exists, first.obj = true, e.obj, true, e.obj
		}
		element = c.order.PushBack(first)
		c.byKey[key] = element
	}
	known := element.Value.(*change[T])
	switch e.kind {
	case added:
		known.add(e.obj)
	case updated:
		if sameUID(e.old, e.obj) {
			known.obj = e.obj
			break
		}
		known.remove(e.old, true)
		known.add(e.obj)
	case removed:
		known.remove(e.obj, e.finalStateUnknown)
	}
	if !known.seen && !known.exists {
		c.forget(element)
	}
}

func (c *change[T]) add(obj T) {
	c.exists, c.obj = true, obj
	if c.deleted && sameUID(c.last, obj) {
		c.deleted = false
	}
}

func (c *change[T]) remove(last T, finalStateUnknown bool) {
	var none T
	c.exists, c.obj = false, none
	// Of two objects that went, the handler knows the first.
	if c.seen && !c.deleted {
		c.deleted, c.last, c.finalStateUnknown = true, last, finalStateUnknown
	}
}

// take removes and returns the oldest event, if there is one. An object in the
// place of another is a deletion and then, the next time, an addition.
func (c *coalesced[T]) take() (e event[T], ok bool) {
	element := c.order.Front()
	if element == nil {
		return e, false
	}
	oldest := element.Value.(*change[T])
	if oldest.deleted {
		e = event[T]{kind: removed, at: oldest.at, obj: oldest.last, finalStateUnknown: oldest.finalStateUnknown}
		*oldest = change[T]{key: oldest.key, at: oldest.at, exists: oldest.exists, obj: oldest.obj}
		if !oldest.exists {
			c.forget(element)
		}
		return e, true
	}
	c.forget(element)
	if oldest.seen {
		return event[T]{kind: updated, at: oldest.at, old: oldest.old, obj: oldest.obj}, true
	}
	return event[T]{kind: added, at: oldest.at, obj: oldest.obj}, true
}

func (c *coalesced[T]) forget(element *list.Element) {
	delete(c.byKey, element.Value.(*change[T]).key)
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
