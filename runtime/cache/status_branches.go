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

// join adds the statuses of branches to that of their informer: its phase and its failures
// are those of the branch that is worst off.
func (s *Status) join(branches []Status, now time.Time) {
	known := true // how many objects each branch that is not listed yet will deliver
	for i := range branches {
		p := &branches[i]
		s.count(p)
		s.DecodedByClient = cmp.Or(s.DecodedByClient, p.DecodedByClient)
		s.Received += p.Received
		s.Expected += max(p.Expected, p.Received)
		known = known && (p.Synced || p.Expected > 0)
	}
	if !known || s.Expected == s.Received {
		s.Expected = 0
	}
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
		s.ReconnectReason = cmp.Or(p.ReconnectReason, s.ReconnectReason)
		s.RelistReason = cmp.Or(p.RelistReason, s.RelistReason)
		s.LastObjectError = cmp.Or(p.LastObjectError, s.LastObjectError)
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
