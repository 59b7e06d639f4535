package cache

import (
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/shardfilter"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// branch is a list and watch of an informer that has several.
type branch struct {
	source Objects
	// scope is the namespace or the object that it lists; empty for a branch of a shard.
	scope types.NamespacedName
	// filter is that of a shard, and before the branch in whose place this one lists everything
	// again; nil otherwise.
	filter   *shardfilter.Filter
	before   *branch
	recorder statusRecorder
	stop     context.CancelFunc
	// ended is closed when the reflector has ended.
	ended chan struct{}
	// learned is set when the reflector has ended.
	learned protocol.Server
	// listed is set when the store has a whole list of the branch.
	listed atomic.Bool
	// version is the one that the store has reached. It is guarded by mu of branchSet.
	version string
	// refusals say whether the branch is left out, until it is listed.
	refusals protocol.Refusals
}

func newBranch(source Objects) *branch {
	return &branch{source: source, ended: make(chan struct{})}
}

// assignment says to which branch of an informer each object belongs, so that what comes late
// from a branch that has lost it changes nothing. It is immutable. Others take its place as
// deltas, in order with those of the branches.
type assignment struct {
	// scopes has the branches of an informer of several namespaces or, if named, objects.
	scopes map[types.NamespacedName]*branch
	named  bool
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
	if a.scopes != nil {
		if !a.named {
			key.Name = ""
		}
		return a.scopes[key]
	}
	m, err := meta.Accessor(obj)
	if err != nil || !a.ranges.Contains(a.by.Hash(m)) {
		return nil
	}
	return a.branch
}
