package cache

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
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

// The counters of an informer do not go down when a namespace is removed, so that their
// rates are right.
func TestCountersOfRemovedParts(t *testing.T) {
	p := newParts(&namespacePlan{})
	counters := func() (s Status) {
		_, all := p.statuses()
		s.count(&p.past)
		for i := range all {
			s.count(&all[i])
		}
		return s
	}
	for range 2 {
		part := newPart(nil)
		p.current = append(p.current, part)
		part.recorder.requested(PhaseListing, nil)
		part.recorder.requested(PhaseWatching, failure.ErrWatchIdle)
		part.recorder.requested(PhaseStreaming, failure.ErrStreamEnded)
		part.recorder.relisted(failure.ErrHistoryRestarted)
		part.recorder.reconnected(nil)
		part.recorder.leftOut(failure.ErrUndecodable)
		p.received([]delta{{kind: set, from: part}, {kind: bookmarked, from: part}, {kind: deleted, from: part}})
		before := counters()
		p.current = nil
		p.bury(part)
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
