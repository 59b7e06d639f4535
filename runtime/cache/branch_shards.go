package cache

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/shardfilter"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// shardPlan is one branch, with all hashes of a shard. When the shard loses some, the branch goes
// on with the others. When it gains some, another branch takes its place and lists everything
// again: objects that have not changed have no events.
type shardPlan struct {
	shard  *shard.Shard
	source Objects
	// reported makes one log line of the branches that find that the server does not filter.
	reported sync.Once
}

// next keeps a branch that has not listed yet, less what the shard has lost: what it has gained
// meanwhile is listed after that, so that there is an end to lists of a shard that changes often.
// If objects are left out, a list shows which of them the shard still has.
func (p *shardPlan) next(ctx context.Context, before []*branch) ([]*branch, <-chan struct{}, error) {
	wanted, changed := p.shard.Ranges()
	if len(wanted) == 0 {
		return nil, changed, nil
	}
	var old *branch
	if len(before) > 0 {
		old = before[0]
		has := old.filter.Ranges()
		stays := has.Intersect(wanted)
		fewer := stays.Equal(wanted) && (has.Equal(wanted) || old.recorder.get().LeftOut == 0)
		if len(stays) > 0 && (fewer || !old.listed.Load()) {
			old.filter.Limit(stays)
			return before, changed, nil
		}
	}
	added := newBranch(p.source)
	added.before = old
	added.filter = shardfilter.New(p.shard.By(), wanted, func() {
		p.reported.Do(func() {
			klog.FromContext(ctx).Info("Server does not filter by shard, objects of others are dropped here", "shardedBy", p.shard.By())
		})
	})
	return []*branch{added}, changed, nil
}

func (p *shardPlan) assign(branches []*branch) *assignment {
	a := &assignment{by: p.shard.By(), cause: &cause.Cause{Kind: cause.Released}}
	for _, one := range branches {
		a.branch, a.ranges = one, one.filter.Ranges()
	}
	return a
}

func (p *shardPlan) foreign(obj metav1.Object) error {
	return fmt.Errorf("object %s is not of the shard that the informer follows", klog.KObj(obj))
}

func (p *shardPlan) describe(s *Status, branches []*branch, _ []Status) {
	ranges, _ := p.shard.Ranges()
	s.Shard = ranges.String()
	for _, branch := range branches {
		s.ShardFilter = branch.filter.FilteredBy()
	}
}
