package cache

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
)

// deltaKind says what the reflector has seen.
type deltaKind uint8

const (
	// set is an object in its latest state, new or not.
	set deltaKind = iota
	// deleted is an object in the state in which it was deleted.
	deleted
	// replaced is the whole list: what it does not hold is gone.
	replaced
	// bookmarked is a resourceVersion up to which nothing else happened.
	bookmarked
)

// delta is one thing that the reflector has seen, on its way to the store.
type delta[T any] struct {
	kind            deltaKind
	key             types.NamespacedName
	obj             T
	resourceVersion string
	// items are those of a replaced delta, in the order of the list. If anew is
	// true, they are other objects than those of the store even if they look the
	// same.
	items []item[T]
	anew  bool
}

// item is an object with its key, which is computed once, on arrival.
type item[T any] struct {
	key types.NamespacedName
	obj T
}

// eventKind says how an object changed in the store.
type eventKind uint8

const (
	added eventKind = iota
	updated
	removed
	// unchanged is an object that a relist found as it was.
	unchanged
	// initial is an object that the store held when the handler joined. It is not
	// in the log.
	initial
)

// event is one change of the store, on its way to the handlers.
type event[T any] struct {
	kind              eventKind
	finalStateUnknown bool
	// at is when it happened, in the time of the log's clock.
	at uint32
	// old is the object that the store had before, if kind is updated or removed.
	old T
	// obj is the new object, or the last one if kind is removed.
	obj T
}

func resourceVersionOf(obj any) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// sameState reports whether a and b are the same state of the same object. An
// object without a resourceVersion, or that is no API object, never is.
func sameState(a, b any) bool {
	ma, err := meta.Accessor(a)
	if err != nil {
		return false
	}
	mb, err := meta.Accessor(b)
	if err != nil {
		return false
	}
	return ma.GetResourceVersion() != "" &&
		ma.GetResourceVersion() == mb.GetResourceVersion() && ma.GetUID() == mb.GetUID()
}
