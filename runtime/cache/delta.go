package cache

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// deltaKind says what a delta means.
type deltaKind uint8

const (
	// set means that an object is new or has changed.
	set deltaKind = iota
	// deleted means that an object was deleted or released.
	deleted
	// replaced means a whole list of a scope. Objects of the scope that the list does not have are deleted.
	replaced
	// removed means that scopes have left or are refused. Their objects are deleted, and the first content
	// does not wait for them.
	removed
	// bookmarked means that objects have not changed up to a resourceVersion. It has no version if a
	// look-up found an object unchanged. It also reports an object that could not be taken.
	bookmarked
)

// delta is one observation of a reflector, on its way to the store.
type delta struct {
	kind deltaKind
	// unseen means that the informer has not seen the deletion itself. released means that the object was
	// not deleted: the source does not select it any more.
	unseen, released bool
	key              types.NamespacedName
	// Received is empty if the last state of a deleted object is not known or could not be used. Then the
	// stored state is used.
	protocol.Received
	resourceVersion string
	// list is set for replaced and removed, and for a delta that leaves objects out.
	list *wholeList
	// from is the scope that the delta comes from. It is nil if the informer itself removes scopes.
	from *scope
}

// prepared reports whether the events of a delta are prepared before the store is locked.
func (d *delta) prepared() bool {
	return d.kind == replaced || d.kind == removed
}

// events returns how many events of objects a delta stands for. A released object may belong to another
// informer and never have been in the store, so it does not count.
func (d *delta) events() uint64 {
	if d.kind == set || d.kind == deleted && !d.released {
		return 1
	}
	return 0
}

// wholeList holds the items of a list of the API, in its order, or the scopes that are removed.
type wholeList struct {
	gone []*scope

	items []item
	// leftOut holds the objects that could not be taken, and why.
	leftOut map[types.NamespacedName]leftout.State
	// same decides whether the store already has an item.
	same protocol.Sameness
	// restarted reports whether the server's history may have restarted. Then the store's version may go
	// back.
	restarted bool
	// cause is the reason for the store's changes. Stored objects that the source does not select any more
	// are released: sequence says which, and nil means none.
	cause    *cause.Cause
	sequence *decoding.Sequence
}

// quiet reports whether the list was requested because the source selects other objects, so that the
// store's state was not in doubt.
func (l *wholeList) quiet() bool {
	return l.cause != nil && failure.ClassOf(l.cause.Reason) == failure.ClassSelectionChanged
}

// item is an object with its key, which is computed once, on arrival.
type item struct {
	key types.NamespacedName
	protocol.Received
}
