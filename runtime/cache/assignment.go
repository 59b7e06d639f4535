package cache

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// assignment says to which branch of an informer each object belongs, so that what comes late
// from a branch that has lost it changes nothing. It is immutable. Others take its place as
// deltas, in order with those of the branches.
type assignment struct {
	// byNamespace has the branches of an informer of several namespaces.
	byNamespace map[string]*branch
	// branch has the objects whose hash, by a function, is in ranges, if the informer has a shard.
	branch *branch
	by     shard.By
	ranges shard.Ranges
	// ended are the branches that the assignment before had, and this one has not.
	ended []*branch
	// cause is that of objects that belong to no branch any more.
	cause *cause.Cause
}

// of returns the branch of an object, or nil.
func (a *assignment) of(key types.NamespacedName, obj any) *branch {
	if a.byNamespace != nil {
		return a.byNamespace[key.Namespace]
	}
	m, err := meta.Accessor(obj)
	if err != nil || !a.ranges.Contains(a.by.Hash(m)) {
		return nil
	}
	return a.branch
}

// classify returns what a delta of a branch is to a store with that object of its key: another
// kind of delta, if the branch does not have the object any more, or has lost it by this change.
func (a *assignment) classify(d *delta, stored any, exists bool) deltaKind {
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
