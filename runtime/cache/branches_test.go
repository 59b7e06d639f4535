package cache

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// The counters of an informer do not go down when a namespace is removed, so that their
// rates are right.
func TestCountersOfRemovedBranches(t *testing.T) {
	p := newBranchSet(&SourceInfo{}, nil)
	counters := func() (s Status) {
		_, all, past := p.statuses()
		s.count(&past)
		for i := range all {
			s.count(&all[i])
		}
		return s
	}
	for range 2 {
		one := new(branch)
		p.replace([]*branch{one}, &assignment{})
		one.recorder.requested(protocol.Listing, nil)
		one.recorder.requested(protocol.Watching, failure.ErrWatchIdle)
		one.recorder.requested(protocol.Streaming, failure.ErrStreamEnded)
		one.recorder.relisted(failure.ErrHistoryRestarted)
		one.recorder.reconnected(nil)
		one.recorder.objectError(failure.ErrUndecodable)
		p.received([]delta{{kind: set, from: one}, {kind: bookmarked, from: one}, {kind: deleted, from: one}})
		before := counters()
		var none assignment
		if p.replace(nil, &none); len(none.ended) != 1 || none.ended[0] != one {
			t.Errorf("ended: %v", none.ended)
		}
		if diff := cmp.Diff(before, counters()); diff != "" {
			t.Errorf("removed (-before +after):\n%s", diff)
		}
	}
	want := Status{
		Reconnects: 2, Relists: 2, ObjectErrors: 2, Events: 4, Bookmarks: 2,
		RelistReasons: failure.Counts{failure.ClassExpired: 2},
		Lists:         failure.Outcomes{Succeeded: 2},
		WatchLists:    failure.Outcomes{Failed: failure.Counts{failure.ClassOther: 2}},
		Watches:       failure.Outcomes{Failed: failure.Counts{failure.ClassSilent: 2}},
	}
	if diff := cmp.Diff(want, counters()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// manyBranches returns branches that have begun, each of a namespace of its own.
func manyBranches(n int) *branchSet {
	p := newBranchSet(&SourceInfo{}, nil)
	var all []*branch
	for i := range n {
		one := new(branch)
		one.scope.Namespace = strconv.Itoa(i)
		all = append(all, one)
	}
	p.replace(all, p.plan.assign(all))
	return p
}

// The work for one namespace, which is done for each at the end of an outage, and for each key
// that is waited for at each event, does not depend on how many there are.
func TestWorkOfOneBranch(t *testing.T) {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "1", Name: "a"}}
	unavailable := &Failure{Err: apierrors.NewServiceUnavailable("down")}
	for name, work := range map[string]func(*branchSet){
		"recovery": func(p *branchSet) {
			one := p.current[0]
			p.leavesOut(one, unavailable)
			p.recovered(one)
		},
		"version of an object": func(p *branchSet) { _, _ = p.versionOf(obj) },
		"version":              func(p *branchSet) { p.version() },
	} {
		t.Run(name, func(t *testing.T) {
			allocations := func(n int) float64 {
				p := manyBranches(n)
				for _, one := range p.current {
					p.leavesOut(one, unavailable)
				}
				return testing.AllocsPerRun(100, func() { work(p) })
			}
			if few, many := allocations(2), allocations(1000); many != few {
				t.Errorf("%v allocations for 1,000 branches, %v for two", many, few)
			}
		})
	}
}

// The version of all branches is the oldest one, whatever becomes of each of them.
func TestVersionOfBranches(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		p := manyBranches(5)
		refused := &Failure{Err: apierrors.NewForbidden(schema.GroupResource{}, "", nil)}
		for step := range 300 {
			one := p.current[random.IntN(len(p.current))]
			version := strconv.Itoa(100 + step + random.IntN(9))
			switch random.IntN(10) {
			case 0:
				for range 3 {
					p.leavesOut(one, refused)
				}
			case 1, 2: // may be older than before
				p.received([]delta{{kind: replaced, from: one, resourceVersion: strconv.Itoa(100 + random.IntN(step+9)), list: &wholeList{}}})
			case 3:
				next := append(slices.Clone(p.current[1:]), manyBranches(1).current...)
				p.replace(next, p.plan.assign(next))
			default:
				p.received([]delta{{kind: bookmarked, from: one, resourceVersion: version}})
			}
			want := p.behind()
			if got, awaited := p.version(); awaited != (want != nil) || awaited && got != want.version {
				t.Fatalf("seed %d, step %d: version %q, %v, want that of %+v", seed, step, got, awaited, want)
			}
		}
	}
}
