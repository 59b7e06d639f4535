package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// group is replicas that divide objects among them by Leases in memory.
type group struct {
	t       *testing.T
	leases  membership.Leases
	running sync.WaitGroup
	members map[int]*membership.Member
	stops   map[int]context.CancelFunc
}

func newGroup(t *testing.T) *group {
	server := cachetest.NewServer()
	cachetest.Serve(server, coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", cachetest.NewAPI[*coordinationv1.Lease]())
	resource := clients.NewResource[*coordinationv1.Lease, *coordinationv1.LeaseList](coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases")
	client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return &group{
		t:       t,
		leases:  resource.Client(client, "shop"),
		members: map[int]*membership.Member{},
		stops:   map[int]context.CancelFunc{},
	}
}

// join starts replicas.
func (g *group) join(members ...int) {
	for _, i := range members {
		member, err := membership.New(g.leases, membership.Options{Group: "orders", Identity: "replica-" + strconv.Itoa(i)})
		if err != nil {
			g.t.Fatal(err)
		}
		var ctx context.Context
		ctx, g.stops[i] = context.WithCancel(g.t.Context())
		g.members[i] = member
		g.running.Go(func() {
			if err := member.Run(ctx); err != nil {
				g.t.Error(err)
			}
		})
	}
}

// leave stops replicas, which hand over what they have.
func (g *group) leave(members ...int) {
	for _, i := range members {
		g.stops[i]()
		delete(g.members, i)
	}
}

// settled returns what each replica has when nothing moves any more.
func (g *group) settled() map[int]shard.Ranges {
	time.Sleep(time.Minute)
	has := map[int]shard.Ranges{}
	for i, member := range g.members {
		has[i], _ = member.Shard().Ranges()
		if s := member.Status(); s.Phase != membership.Active || s.Owned.Ranges != has[i].String() {
			g.t.Errorf("replica %d: %v, owns %v and follows %v", i, s.Phase, s.Owned.Ranges, has[i])
		}
	}
	return has
}

// partsOf returns the number of parts that a replica has.
func partsOf(ranges shard.Ranges) int { return int(math.Round(ranges.Fraction() * parts)) }

// counts returns the numbers of parts of each replica, and of each member of the model, in order.
func counts(has map[int]shard.Ranges, model owners) (got, want []int) {
	byMember := map[int]int{}
	for _, member := range model {
		byMember[member]++
	}
	for _, n := range byMember {
		want = append(want, n)
	}
	for _, ranges := range has {
		got = append(got, partsOf(ranges))
	}
	slices.Sort(got)
	slices.Sort(want)
	return got, want
}

// moving returns the number of parts that have another owner, with replicas and in the model.
func moving(before, after map[int]shard.Ranges, modelBefore, modelAfter owners) (got, want int) {
	for i, ranges := range after {
		got += partsOf(ranges.Minus(before[i]))
	}
	return got, int(math.Round(moveBetween(modelBefore, modelAfter).Hashes * parts))
}

// Replicas of operations/membership have as many parts as the members of the model, and as
// many of them move when one joins and when one leaves. Which ones is up to the hashes.
func TestModelOfMembership(t *testing.T) {
	for _, n := range []int{1, 4, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t)
				model, members := first(n)
				g.join(members...)
				before := g.settled()
				if got, want := counts(before, model); !slices.Equal(got, want) {
					t.Errorf("at the start: parts %v, in the model %v", got, want)
				}

				g.join(n)
				joined, modelJoined := g.settled(), assign(model, append(members, n))
				if got, want := counts(joined, modelJoined); !slices.Equal(got, want) {
					t.Errorf("one joins: parts %v, in the model %v", got, want)
				}
				if got, want := moving(before, joined, model, modelJoined); got != want {
					t.Errorf("one joins: %d parts move, in the model %d", got, want)
				}

				g.leave(n) // which has equally many here and there
				left, modelLeft := g.settled(), assign(modelJoined, members)
				if got, want := counts(left, modelLeft); !slices.Equal(got, want) {
					t.Errorf("one leaves: parts %v, in the model %v", got, want)
				}
				if got, want := moving(joined, left, modelJoined, modelLeft); got != want {
					t.Errorf("one leaves: %d parts move, in the model %d", got, want)
				}
				g.leave(members...)
				g.running.Wait()
			})
		})
	}
}
