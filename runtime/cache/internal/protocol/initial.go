package protocol

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// InitialEvents turns the initial events of a watch-list into a list of items.
type InitialEvents[T any] struct {
	list []T
	// at has the place of each item in the list. It has nowhere for other objects that had events.
	at map[types.NamespacedName]int
	// gone holds the places in the list whose items were deleted.
	gone map[int]bool
}

// nowhere is the place of an object that is not in the list.
const nowhere = -1

// NewInitialEvents returns an empty list.
func NewInitialEvents[T any]() *InitialEvents[T] {
	return &InitialEvents[T]{at: map[types.NamespacedName]int{}, gone: map[int]bool{}}
}

// Add adds an event of an object. Its item replaces an earlier one. Add reports whether the event is the
// first of the object.
func (e *InitialEvents[T]) Add(kind watch.EventType, key types.NamespacedName, item T) (first bool) {
	i, seen := e.at[key]
	listed := seen && i != nowhere
	switch {
	case kind == watch.Deleted:
		if listed {
			e.gone[i] = true
		}
		e.at[key] = nowhere
	case listed:
		e.list[i] = item
	default:
		e.at[key] = len(e.list)
		e.list = append(e.list, item)
	}
	return !seen
}

// Note adds an event of an object that leaves the list as it is, and reports whether it is the first of the
// object.
func (e *InitialEvents[T]) Note(key types.NamespacedName) (first bool) {
	if _, seen := e.at[key]; seen {
		return false
	}
	e.at[key] = nowhere
	return true
}

// Items returns the list, in the order of the events.
func (e *InitialEvents[T]) Items() []T {
	if len(e.gone) == 0 {
		return e.list
	}
	kept := make([]T, 0, len(e.list)-len(e.gone))
	for i, item := range e.list {
		if !e.gone[i] {
			kept = append(kept, item)
		}
	}
	return kept
}
