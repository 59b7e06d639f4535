package cache

import "slices"

// roster holds the listeners that were not removed, in the order in which they were
// added. A roster does not change, so that it can be read without a lock.
type roster[T any] struct {
	all []*listener[T]
	// limited are those with a limit.
	limited []*listener[T]
}

// with returns a roster with another listener. It may share memory with r, behind
// what r holds: only the latest roster may be added to.
func (r *roster[T]) with(l *listener[T]) *roster[T] {
	next := &roster[T]{all: append(r.all, l), limited: r.limited}
	if l.options.Limit > 0 {
		next.limited = append(r.limited, l)
	}
	return next
}

// without returns a roster without a listener.
func (r *roster[T]) without(l *listener[T]) *roster[T] {
	return &roster[T]{all: without(r.all, l), limited: without(r.limited, l)}
}

// without returns a copy of items without item, or items if they do not hold it.
func without[E comparable](items []E, item E) []E {
	at := slices.Index(items, item)
	if at < 0 {
		return items
	}
	return slices.Concat(items[:at], items[at+1:])
}
