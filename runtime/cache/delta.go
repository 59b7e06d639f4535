package cache

import (
	"reflect"

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
	// unseen means that nobody saw the deletion of an object of which only the
	// store's state is known; stored, that its last state could not be used, and the
	// store's stands for it.
	unseen, stored bool
	// items are those of a replaced delta, in the order of the list, and same tells
	// which of them the store has.
	items []item[T]
	same  sameness
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

// sameness is what makes two objects one state of one object.
type sameness uint8

const (
	// sameVersion is the same UID and resourceVersion. It takes a server whose
	// versions are those of etcd (KEP-5504): another state has another version.
	sameVersion sameness = iota
	// sameContent is the same content too. It is for all other servers: aggregated
	// APIs may keep no versions at all, and fakes the same one for ever.
	sameContent
)

// of reports whether a and b are the same state of the same object. An object
// without a resourceVersion, or that is no API object, has no version to compare.
func (s sameness) of(a, b any) bool {
	if samePointer(a, b) {
		return true
	}
	if s == sameVersion {
		return hasSameVersion(a, b)
	}
	return reflect.DeepEqual(a, b)
}

func hasSameVersion(a, b any) bool {
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

func samePointer(a, b any) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	return va.Kind() == reflect.Pointer && vb.Kind() == reflect.Pointer && va.Pointer() == vb.Pointer()
}
