package cache

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// initialEvents folds the events that open a watch-list into the list that they
// stand for.
type initialEvents[T any] struct {
	list []item[T]
	at   map[types.NamespacedName]int
}

func newInitialEvents[T any]() *initialEvents[T] {
	return &initialEvents[T]{at: map[types.NamespacedName]int{}}
}

func (e *initialEvents[T]) take(kind watch.EventType, it item[T]) {
	i, listed := e.at[it.key]
	switch {
	case kind == watch.Deleted:
		delete(e.at, it.key)
	case listed:
		e.list[i] = it
	default:
		e.at[it.key] = len(e.list)
		e.list = append(e.list, it)
	}
}

// items returns the list, in the order of the events.
func (e *initialEvents[T]) items() []item[T] {
	if len(e.at) == len(e.list) {
		return e.list
	}
	kept := make([]item[T], 0, len(e.at))
	for i, it := range e.list {
		if at, ok := e.at[it.key]; ok && at == i {
			kept = append(kept, it)
		}
	}
	return kept
}
