package cache

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// deltaKind says what the reflector has seen.
type deltaKind uint8

const (
	// set is an object in its latest state, new or not.
	set deltaKind = iota
	// deleted is an object in the state in which it was deleted.
	deleted
	// replaced is the whole list of a scope: objects of the scope that it does not hold are deleted.
	replaced
	// removed is that scopes have left, or are refused: their objects are deleted, and the first
	// content does without them.
	removed
	// bookmarked is a resourceVersion up to which the objects are as they were. A look-up that finds
	// an object as it was has no version. An object that could not be taken is left out.
	bookmarked
)

// delta is one thing that the reflector has seen, on its way to the store.
type delta struct {
	kind deltaKind
	// unseen means that nobody saw the deletion of an object. released means that it was not
	// deleted: the source does not select it any more.
	unseen, released bool
	key              types.NamespacedName
	// Received is empty if the last state of a deleted object is not known or could not be used:
	// the store's stands for it.
	protocol.Received
	resourceVersion string
	// list belongs to a replaced or removed delta, or to one that leaves objects out.
	list *wholeList
	// from is the scope that has seen it; nil if the informer itself has removed some.
	from *scope
}

// prepared reports whether the events of a delta are prepared before the store is locked.
func (d *delta) prepared() bool {
	return d.kind == replaced || d.kind == removed
}

// events returns how many events of objects a delta stands for. An object that is released may be
// one of another informer, which the store never had.
func (d *delta) events() uint64 {
	if d.kind == set || d.kind == deleted && !d.released {
		return 1
	}
	return 0
}

// wholeList has the items of a list of the API, in its order, or the scopes that are removed.
type wholeList struct {
	gone []*scope

	items []item
	// leftOut has the objects of the list that could not be taken, and why.
	leftOut map[types.NamespacedName]string
	// same tells which of them the store has.
	same protocol.Sameness
	// restarted reports whether the server's history may have restarted, so that the version
	// of the store is taken back.
	restarted bool
	// cause is why the store changes. Stored objects that the source does not select any more are
	// released: sequence says which, and nil is none.
	cause    *cause.Cause
	sequence *decoding.Sequence
}

// quiet reports whether the list was requested since the source selects other objects: the state of the
// store was not in doubt.
func (l *wholeList) quiet() bool {
	return l.cause != nil && failure.ClassOf(l.cause.Reason) == failure.ClassSelectionChanged
}

// item is an object with its key, which is computed once, on arrival.
type item struct {
	key types.NamespacedName
	protocol.Received
}
