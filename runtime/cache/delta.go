package cache

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
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
	// departed is an object that belongs to no branch any more, since it has changed.
	departed
	// noChange is a watch event or look-up that changes nothing here: its object belongs to
	// another branch or to no branch, or the store has what it says.
	noChange
	// bookmarked is a resourceVersion up to which nothing else happened.
	bookmarked
	// branchRefused is that the first content of the informer is to do without a branch.
	branchRefused
)

// delta is one thing that the reflector has seen, on its way to the store.
type delta struct {
	kind deltaKind
	// unseen means that nobody saw the deletion of an object.
	unseen bool
	key    types.NamespacedName
	// obj is nil if the last state of a deleted object is not known or could not be used: the
	// store's stands for it.
	obj             any
	resourceVersion string
	// list is that of a replaced or assigned delta.
	list *wholeList
	// from is the branch that has seen it; nil if the informer has no branches.
	from *branch
}

// prepared reports whether the events of a delta are prepared before the store is locked.
func (d *delta) prepared() bool {
	return d.kind == replaced || d.kind == assigned || d.kind == departed
}

// counts returns how many events of objects and how many bookmarks a delta stands for.
func (d *delta) counts() (events, bookmarks uint64) {
	switch d.kind {
	case set, deleted, departed:
		return 1, 0
	case bookmarked:
		return 0, 1
	}
	return 0, 0
}

// classify returns what a delta of a branch is to a store with that object of its key: another
// kind of delta, if the branch does not have the object any more, or has lost it by this change.
func (d *delta) classify(a *assignment, stored any, exists bool) deltaKind {
	mine := exists && a.of(d.key, stored) == d.from
	switch {
	case d.kind != set && d.kind != deleted:
		return d.kind
	case d.kind == set && a.of(d.key, d.obj) == d.from:
		return set
	case mine && d.kind == set:
		return departed
	case mine:
		return deleted
	}
	return noChange
}

// wholeList has the items of a list of the API, in its order, or an assignment.
type wholeList struct {
	assignment *assignment

	items []item
	// same tells which of them the store has.
	same protocol.Sameness
	// restarted reports whether the server's history may have restarted, so that the version
	// of the store is taken back.
	restarted bool
	// cause is that of what differs in the store.
	cause *cause.Cause
}

// item is an object with its key, which is computed once, on arrival.
type item struct {
	key types.NamespacedName
	obj any
}
