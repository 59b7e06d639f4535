package protocol

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// InitialEvents folds the events that open a watch-list into the list that they stand for, of
// any items.
type InitialEvents[T any] struct {
	list []T
	at   map[types.NamespacedName]int
	// gone are the places in the list whose items were deleted.
	gone map[int]bool
}

// NewInitialEvents returns an empty list.
func NewInitialEvents[T any]() *InitialEvents[T] {
	return &InitialEvents[T]{at: map[types.NamespacedName]int{}, gone: map[int]bool{}}
}

// Add takes the event of an object, whose item takes the place of an earlier one.
func (e *InitialEvents[T]) Add(kind watch.EventType, key types.NamespacedName, item T) {
	i, listed := e.at[key]
	switch {
	case kind == watch.Deleted && listed:
		e.gone[i] = true
		delete(e.at, key)
	case kind == watch.Deleted:
	case listed:
		e.list[i] = item
	default:
		e.at[key] = len(e.list)
		e.list = append(e.list, item)
	}
}

// Items returns the list, in the order of the events.
func (e *InitialEvents[T]) Items() []T {
	if len(e.gone) == 0 {
		return e.list
	}
	kept := make([]T, 0, len(e.at))
	for i, item := range e.list {
		if !e.gone[i] {
			kept = append(kept, item)
		}
	}
	return kept
}
