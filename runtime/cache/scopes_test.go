package cache

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// The counters of an informer do not go down when a namespace is removed, so that their
// rates are right.
func TestCountersOfScopesThatLeft(t *testing.T) {
	p := newScopes(&SourceInfo{}, nil)
	counters := func() (s Status) {
		scopes, past := p.present()
		s.count(&past)
		for _, scope := range scopes {
			of := scope.recorder.get()
			s.count(&of)
		}
		return s
	}
	for range 2 {
		one := &scope{recorder: new(statusRecorder)}
		p.become([]*scope{one})
		one.recorder.requested(protocol.Listing, nil)
		one.recorder.requested(protocol.Watching, failure.ErrWatchIdle)
		one.recorder.requested(protocol.Streaming, failure.ErrStreamEnded)
		one.recorder.relisted(failure.ErrHistoryRestarted)
		one.recorder.reconnected(nil)
		one.recorder.objectError(failure.ErrUndecodable)
		one.recorder.bookmarked()
		p.received([]delta{{kind: set, from: one}, {kind: bookmarked, from: one}, {kind: deleted, from: one}})
		before := counters()
		if gone := p.become(nil); !slices.Equal(gone, []*scope{one}) {
			t.Errorf("gone: %v", gone)
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

// manyScopes returns scopes that have begun, each of a namespace of its own.
func manyScopes(n int) *scopes {
	p := newScopes(&SourceInfo{Scopes: func() ([]types.NamespacedName, <-chan struct{}) { return nil, nil }}, nil)
	var all []*scope
	for i := range n {
		all = append(all, &scope{key: types.NamespacedName{Namespace: strconv.Itoa(i)}, recorder: new(statusRecorder)})
	}
	p.become(all)
	return p
}

// The work for one namespace does not depend on the number of namespaces. It is done for each namespace at
// the end of an outage, and for each awaited key at each event.
func TestWorkOfOneScope(t *testing.T) {
	unavailable := &Failure{Err: apierrors.NewServiceUnavailable("down")}
	for name, work := range map[string]func(*scopes){
		"recovery": func(p *scopes) {
			one := p.current[0]
			p.leavesOut(one, unavailable)
			p.recovered(one)
		},
		"sight of an object": func(p *scopes) { p.sightOf(types.NamespacedName{Namespace: "1", Name: "a"}, nil) },
		"version":            func(p *scopes) { p.version() },
	} {
		t.Run(name, func(t *testing.T) {
			allocations := func(n int) float64 {
				p := manyScopes(n)
				for _, one := range p.current {
					p.leavesOut(one, unavailable)
				}
				return testing.AllocsPerRun(100, func() { work(p) })
			}
			if few, many := allocations(2), allocations(1000); many != few {
				t.Errorf("%v allocations for 1,000 scopes, %v for two", many, few)
			}
		})
	}
}

// The version of all scopes is the oldest one, whatever becomes of each of them.
func TestVersionOfScopes(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		p := manyScopes(5)
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
				p.become(append(slices.Clone(p.current[1:]), manyScopes(1).current...))
			default:
				p.received([]delta{{kind: bookmarked, from: one, resourceVersion: version}})
			}
			want, gone := "", true
			for i, one := range p.current {
				if one.refusals.LeftOut {
					continue
				}
				if gone || want != "" && (one.version == "" || protocol.Older(one.version, want)) {
					want = p.current[i].version
				}
				gone = false
			}
			if got := p.sight(); got.Gone != gone || got.Version != want || got.Version != p.version() {
				t.Fatalf("seed %d, step %d: %+v, want version %q, gone: %v", seed, step, got, want, gone)
			}
		}
	}
}
