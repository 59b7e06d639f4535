package cache

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// deltaKind says what the reflector has seen.
type deltaKind uint8

const (
	// set is an object in its latest state, new or not.
	set deltaKind = iota
	// deleted is an object in the state in which it was deleted.
	deleted
	// replaced is the whole list: objects that it does not hold are deleted, those of
	// its branch if the informer has branches.
	replaced
	// assigned is another assignment of objects to branches: those of none are deleted.
	assigned
	// noChange is a watch event or look-up that leaves the store as it is. Its version counts.
	noChange
	// bookmarked is a resourceVersion up to which nothing else happened.
	bookmarked
	// leftOut is an object that is on the server and could not be taken.
	leftOut
	// branchRefused is that the first content of the informer is to do without a branch.
	branchRefused
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
	// list belongs to a replaced, assigned or leftOut delta.
	list *wholeList
	// from is the branch that has seen it; nil if the informer has no branches.
	from *branch
}

// prepared reports whether the events of a delta are prepared before the store is locked.
func (d *delta) prepared() bool {
	return d.kind == replaced || d.kind == assigned
}

// counts returns how many events of objects and how many bookmarks a delta stands for. An object
// that is released may be one of another informer, which the store never had.
func (d *delta) counts() (events, bookmarks uint64) {
	switch {
	case d.kind == bookmarked:
		return 0, 1
	case d.kind == set, d.kind == deleted && !d.released:
		return 1, 0
	}
	return 0, 0
}

// classify returns the kind of a delta of a branch, which changes nothing if another branch, or none,
// has the object now.
func (d *delta) classify(a *assignment) deltaKind {
	if (d.kind == set || d.kind == deleted) && a.of(d.key) != d.from {
		return noChange
	}
	return d.kind
}

// wholeList has the items of a list of the API, in its order, or an assignment.
type wholeList struct {
	assignment *assignment

	items []item
	// leftOut has the objects of the list that could not be taken, and why.
	leftOut map[types.NamespacedName]string
	// same tells which of them the store has.
	same protocol.Sameness
	// restarted reports whether the server's history may have restarted, so that the version
	// of the store is taken back.
	restarted bool
	// cause is why the store changes. It does not hold for stored objects that the source does not
	// select any more, which are released; nil is none.
	cause    *cause.Cause
	released func(obj any) bool
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
