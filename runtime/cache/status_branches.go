package cache

import (
	"cmp"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// count adds the counters of another status, so that they never go down.
func (s *Status) count(other *Status) {
	s.Reconnects += other.Reconnects
	s.Relists += other.Relists
	s.RelistReasons = s.RelistReasons.Plus(other.RelistReasons)
	s.Lists = s.Lists.Plus(other.Lists)
	s.WatchLists = s.WatchLists.Plus(other.WatchLists)
	s.Watches = s.Watches.Plus(other.Watches)
	s.Events += other.Events
	s.Bookmarks += other.Bookmarks
	s.ObjectErrors += other.ObjectErrors
}

// addUp adds what the lists of branches have delivered. How many will come is known only if it is
// known of each branch that is not listed yet.
func (s *Status) addUp(branches []Status) {
	known := true
	for _, p := range branches {
		s.Received += p.Received
		s.Expected += max(p.Expected, p.Received)
		known = known && (p.Synced || p.Expected > 0)
	}
	if !known || s.Expected == s.Received {
		s.Expected = 0
	}
}

// join adds the statuses of branches to that of their informer: its phase and its failures
// are those of the branch that is worst off.
func (s *Status) join(branches []Status, now time.Time) {
	for p := range branches {
		s.count(&branches[p])
		s.leaveOut(branches[p].LeftOut, branches[p].LeftOutObjects)
		s.DecodedByClient = cmp.Or(s.DecodedByClient, branches[p].DecodedByClient)
	}
	s.addUp(branches)
	if s.Phase == PhaseStopped {
		return
	}
	s.Phase = PhaseWatching
	s.LastContact = now
	served := false
	for i := range branches {
		p := &branches[i]
		if severity[p.Phase] > severity[s.Phase] || i == 0 {
			s.Phase, s.Since, s.NextAttempt = p.Phase, p.Since, p.NextAttempt
			s.Attempts, s.FailingSince, s.LastError = p.Attempts, p.FailingSince, p.LastError
		}
		s.LastEvent, s.LastBookmark = latest(s.LastEvent, p.LastEvent), latest(s.LastBookmark, p.LastBookmark)
		if contact := now.Add(-p.Stale()); !p.refused() && contact.Before(s.LastContact) {
			s.LastContact = contact
		}
		served = served || !p.refused()
		for _, reason := range []struct{ of, from *error }{
			{&s.ReconnectReason, &p.ReconnectReason}, {&s.RelistReason, &p.RelistReason}, {&s.LastObjectError, &p.LastObjectError},
		} {
			if *reason.from != nil {
				*reason.of = *reason.from
			}
		}
	}
	if !served && len(branches) > 0 {
		s.LastContact = now.Add(-branches[0].Stale())
	}
}

// leaveOut adds objects that are left out, some of them by name.
func (s *Status) leaveOut(count int, named map[string]string) {
	if count > 0 {
		s.LeftOut += count
		s.LeftOutObjects = leftout.Join(s.LeftOutObjects, named)
	}
}

// severity orders phases by how far they are from an informer that is well.
var severity = map[Phase]int{PhaseWatching: 0, PhaseStreaming: 1, PhasePending: 2, PhaseListing: 3, PhaseAbsent: 4, PhaseBackingOff: 5}

// refused reports whether the server does not let the informer have the objects.
func (s *Status) refused() bool { return s.Attempts > 0 && protocol.Refuses(s.LastError) }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
