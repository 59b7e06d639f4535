package cache

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// One scope whose client decodes is enough for a notice.
func TestDecodedByClientOfScopes(t *testing.T) {
	var s Status
	s.join([]Status{{Phase: PhaseWatching}, {Phase: PhaseWatching, DecodedByClient: "a filter"}, {Phase: PhaseWatching}}, time.Now())
	if s.DecodedByClient != "a filter" {
		t.Errorf("got %q", s.DecodedByClient)
	}
}

// An informer of several namespaces has the status of the namespace that is worst off.
func TestStatusOfScopes(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no role"))
	watching := Status{Phase: PhaseWatching, Started: ago(time.Hour), LastContact: ago(time.Minute), Reconnects: 2}
	silent := Status{Phase: PhaseWatching, Started: ago(time.Hour), LastContact: ago(20 * time.Minute), Reconnects: 1}
	listing := Status{Phase: PhaseListing, Started: ago(time.Second)}
	refused := Status{Phase: PhaseBackingOff, Started: ago(time.Hour), Attempts: 9, LastError: forbidden}
	broken := Status{Phase: PhaseBackingOff, Started: ago(time.Hour), Attempts: 2, LastError: errors.New("reset"), LastContact: ago(5 * time.Minute)}
	for _, test := range []struct {
		name   string
		scopes []Status
		phase  Phase
		err    error
		stale  time.Duration
	}{
		{"no namespaces", nil, PhaseWatching, nil, 0},
		{"all is well", []Status{watching, watching}, PhaseWatching, nil, time.Minute},
		{"the one that was silent for longest", []Status{watching, silent}, PhaseWatching, nil, 20 * time.Minute},
		{"one lists", []Status{watching, listing}, PhaseListing, nil, time.Minute},
		{"a namespace that is refused makes nothing stale", []Status{refused, watching}, PhaseBackingOff, forbidden, time.Minute},
		{"all are refused", []Status{refused, refused}, PhaseBackingOff, forbidden, time.Hour},
		{"one is refused beside one that flaps", []Status{broken, refused}, PhaseBackingOff, forbidden, 5 * time.Minute},
		{"one that flaps beside one that is refused", []Status{refused, broken}, PhaseBackingOff, forbidden, 5 * time.Minute},
		{"one is broken", []Status{watching, broken, listing}, PhaseBackingOff, broken.LastError, 5 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Status
			s.join(test.scopes, now)
			if s.Phase != test.phase || !errors.Is(s.LastError, test.err) || s.Attempts > 0 != (test.err != nil) {
				t.Errorf("got %v", s)
			}
			if stale := now.Sub(s.LastContact).Round(time.Second); stale != test.stale {
				t.Errorf("no contact for %v, want %v", stale, test.stale)
			}
			reconnects := 0
			for _, p := range test.scopes {
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
func TestProgressOfScopes(t *testing.T) {
	listed := Status{Synced: true, Received: 10}
	known := Status{Received: 5, Expected: 20}
	unknown := Status{Received: 3}
	for _, test := range []struct {
		scopes             []Status
		received, expected int
	}{
		{nil, 0, 0},
		{[]Status{listed, listed}, 20, 0},
		{[]Status{listed, known}, 15, 30},
		{[]Status{known, known}, 10, 40},
		{[]Status{listed, known, unknown}, 18, 0},
	} {
		var s Status
		s.join(test.scopes, time.Now())
		if s.Received != test.received || s.Expected != test.expected {
			t.Errorf("%+v: %d of %d, want %d of %d", test.scopes, s.Received, s.Expected, test.received, test.expected)
		}
	}
}
