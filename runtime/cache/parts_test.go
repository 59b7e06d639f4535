package cache

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// The status of an informer of several namespaces is that of the one that is worst off.
func TestStatusOfParts(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no role"))
	watching := Status{Phase: PhaseWatching, Started: ago(time.Hour), LastContact: ago(time.Minute), Reconnects: 2}
	silent := Status{Phase: PhaseWatching, Started: ago(time.Hour), LastContact: ago(20 * time.Minute), Reconnects: 1}
	listing := Status{Phase: PhaseListing, Started: ago(time.Second)}
	refused := Status{Phase: PhaseBackingOff, Started: ago(time.Hour), Attempts: 9, LastError: forbidden}
	broken := Status{Phase: PhaseBackingOff, Started: ago(time.Hour), Attempts: 2, LastError: errors.New("reset"), LastContact: ago(5 * time.Minute)}
	for _, test := range []struct {
		name  string
		parts []Status
		phase Phase
		err   error
		stale time.Duration
	}{
		{"no namespaces", nil, PhaseWatching, nil, 0},
		{"all is well", []Status{watching, watching}, PhaseWatching, nil, time.Minute},
		{"the one that was silent for longest", []Status{watching, silent}, PhaseWatching, nil, 20 * time.Minute},
		{"one lists", []Status{watching, listing}, PhaseListing, nil, time.Minute},
		{"a namespace that is refused makes nothing stale", []Status{refused, watching}, PhaseBackingOff, forbidden, time.Minute},
		{"all are refused", []Status{refused, refused}, PhaseBackingOff, forbidden, time.Hour},
		{"one is broken", []Status{watching, broken, listing}, PhaseBackingOff, broken.LastError, 5 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Status
			s.join(test.parts, now)
			if s.Phase != test.phase || !errors.Is(s.LastError, test.err) || s.Attempts > 0 != (test.err != nil) {
				t.Errorf("got %v", s)
			}
			if stale := now.Sub(s.LastContact).Round(time.Second); stale != test.stale {
				t.Errorf("no contact for %v, want %v", stale, test.stale)
			}
			reconnects := 0
			for _, p := range test.parts {
				reconnects += p.Reconnects
			}
			if s.Reconnects != reconnects {
				t.Errorf("%d reconnects, want %d", s.Reconnects, reconnects)
			}
		})
	}
	stopped := Status{Phase: PhaseStopped}
	if stopped.join([]Status{watching}, now); stopped.Phase != PhaseStopped || stopped.Reconnects != 2 {
		t.Errorf("one that has stopped is %v, with %d reconnects", stopped.Phase, stopped.Reconnects)
	}
}

// The total is known only if it is in each namespace that is not listed yet.
func TestProgressOfParts(t *testing.T) {
	listed := Status{Synced: true, Received: 10}
	known := Status{Received: 5, Expected: 20}
	unknown := Status{Received: 3}
	for _, test := range []struct {
		parts              []Status
		received, expected int
	}{
		{nil, 0, 0},
		{[]Status{listed, listed}, 20, 0},
		{[]Status{listed, known}, 15, 30},
		{[]Status{known, known}, 10, 40},
		{[]Status{listed, known, unknown}, 18, 0},
	} {
		var s Status
		s.join(test.parts, time.Now())
		if s.Received != test.received || s.Expected != test.expected {
			t.Errorf("%+v: %d of %d, want %d of %d", test.parts, s.Received, s.Expected, test.received, test.expected)
		}
	}
}

// The counters of an informer do not go down when a namespace is removed, so that their
// rates are right.
func TestCountersOfRemovedParts(t *testing.T) {
	p := newParts(&namespacePlan{})
	counters := func() (s Status) {
		_, all, past := p.statuses()
		s.count(&past)
		for i := range all {
			s.count(&all[i])
		}
		return s
	}
	for range 2 {
		one := newPart(nil)
		p.replace([]*part{one}, &assignment{})
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

// manyParts returns parts that have begun, each of a namespace of its own.
func manyParts(n int) *parts {
	p := newParts(&namespacePlan{})
	var all []*part
	for i := range n {
		one := newPart(nil)
		one.namespace = strconv.Itoa(i)
		all = append(all, one)
	}
	p.replace(all, p.plan.assign(all))
	return p
}

// The work for one namespace, which is done for each at the end of an outage, and for each key
// that is waited for at each event, does not depend on how many there are.
func TestWorkOfOnePart(t *testing.T) {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "1", Name: "a"}}
	unavailable := &Failure{Err: apierrors.NewServiceUnavailable("down")}
	for name, work := range map[string]func(*parts){
		"recovery": func(p *parts) {
			one := p.current[0]
			p.leavesOut(one, unavailable)
			p.onRecovery(one, nil)(t.Context(), 1)
		},
		"version of an object": func(p *parts) { _, _ = p.versionOf(obj) },
		"version":              func(p *parts) { p.version() },
	} {
		t.Run(name, func(t *testing.T) {
			allocations := func(n int) float64 {
				p := manyParts(n)
				for _, one := range p.current {
					p.leavesOut(one, unavailable)
				}
				return testing.AllocsPerRun(100, func() { work(p) })
			}
			if few, many := allocations(2), allocations(1000); many != few {
				t.Errorf("%v allocations for 1,000 parts, %v for two", many, few)
			}
		})
	}
}

// The version of all parts is the oldest one, whatever becomes of each of them.
func TestVersionOfParts(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		p := manyParts(5)
		refused := &Failure{Err: apierrors.NewForbidden(schema.GroupResource{}, "", nil)}
		for step := range 300 {
			one := p.current[random.IntN(len(p.current))]
			version := strconv.Itoa(100 + step + random.IntN(9))
			switch random.IntN(10) {
			case 0:
				for range maxRefusals {
					p.leavesOut(one, refused)
				}
			case 1, 2: // may be older than before
				p.received([]delta{{kind: replaced, from: one, resourceVersion: strconv.Itoa(100 + random.IntN(step+9)), list: &wholeList{}}})
			case 3:
				next := append(slices.Clone(p.current[1:]), manyParts(1).current...)
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

// What parts leave out is added up while they are there.
func TestPartsLeaveOut(t *testing.T) {
	p := newParts(&namespacePlan{objects: func(string) int { return 0 }})
	one, other := newPart(nil), newPart(nil)
	one.recorder.leftOut.add(&failure.ObjectError{Object: "one/a", Err: failure.ErrUndecodable})
	other.recorder.leftOut.add(&failure.ObjectError{Object: "other/a", Err: failure.ErrUndecodable})
	for _, test := range []struct {
		parts []*part
		want  map[string]string
	}{
		{nil, nil},
		{[]*part{one, other}, map[string]string{"one/a": failure.ErrUndecodable.Error(), "other/a": failure.ErrUndecodable.Error()}},
		{[]*part{other}, map[string]string{"other/a": failure.ErrUndecodable.Error()}},
	} {
		p.replace(test.parts, p.plan.assign(test.parts))
		var s Status
		p.describe(&s)
		if diff := cmp.Diff(test.want, s.LeftOutObjects); diff != "" || s.LeftOut != len(test.want) {
			t.Errorf("of %d parts: %d left out (-want +got):\n%s", len(test.parts), s.LeftOut, diff)
		}
	}
}
