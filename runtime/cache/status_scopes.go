package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// count adds the counters of another status.
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

// join combines the statuses of scopes into the informer's status. It has the phase and the failures of the
// scope that is worst off.
func (s *Status) join(scopes []Status, now time.Time) {
	known := true // each scope has been listed, or says how many objects to expect
	for i := range scopes {
		p := &scopes[i]
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
	served, refusal := false, error(nil)
	for i := range scopes {
		p := &scopes[i]
		if severity[p.Phase] > severity[s.Phase] || i == 0 {
			s.Phase, s.Since, s.NextAttempt = p.Phase, p.Since, p.NextAttempt
			s.Attempts, s.FailingSince, s.LastError = p.Attempts, p.FailingSince, p.LastError
		}
		s.LastEvent, s.LastBookmark = latest(s.LastEvent, p.LastEvent), latest(s.LastBookmark, p.LastBookmark)
		if contact := now.Add(-p.Stale()); !p.refused() && contact.Before(s.LastContact) {
			s.LastContact = contact
		}
		if p.refused() {
			refusal = cmp.Or(refusal, p.LastError)
		} else {
			served = true
		}
		s.ReconnectReason = cmp.Or(p.ReconnectReason, s.ReconnectReason)
		s.RelistReason = cmp.Or(p.RelistReason, s.RelistReason)
		s.LastObjectError = cmp.Or(p.LastObjectError, s.LastObjectError)
	}
	switch { // a refusal stays after a worse failure has passed
	case refusal == nil || protocol.Refuses(s.LastError):
	case s.LastError == nil:
		s.LastError = refusal
	default:
		s.LastError = fmt.Errorf("%w; %w", s.LastError, refusal)
	}
	if !served && len(scopes) > 0 {
		s.LastContact = now.Add(-scopes[0].Stale())
	}
}

// describeScopes completes the status of an informer of several scopes. It blocks neither readers nor
// commits, however many scopes there are.
func (e *engine) describeScopes(s *Status) {
	scopes, past := e.scopes.present()
	statuses := make([]Status, len(scopes))
	for i, scope := range scopes {
		statuses[i] = scope.recorder.get()
		statuses[i].Synced = scope.listed.Load()
		statuses[i].DecodedByClient = decodedByClient(scope.source)
	}
	s.join(statuses, time.Now())
	s.count(&past)
	s.ResourceVersion = e.scopes.version()
	if e.about.Named {
		s.Names = e.describeNames(scopes, statuses)
		return
	}
	s.Namespaces = statuses
	left := e.store.core.leftOut.Each()
	for i, scope := range scopes {
		statuses[i].leaveOut(len(left[scope]), left[scope])
		statuses[i].Name = scope.key.Namespace
		statuses[i].Objects = e.store.core.indexed(namespaceIndexName, scope.key.Namespace)
	}
	slices.SortFunc(statuses, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
}

func (e *engine) describeNames(scopes []*scope, statuses []Status) *NamesStatus {
	names := &NamesStatus{Followed: len(scopes)}
	for i, scope := range scopes {
		about := scope.source.Describe()
		if about.ByMetadata != nil && about.ByMetadata() {
			names.ByMetadata++
		}
		if statuses[i].Synced {
			names.Known++
			if _, exists, err := e.store.core.Find(scope.key); !exists && err == nil {
				names.Absent++
			}
		}
		if err := statuses[i].LastError; err != nil && statuses[i].Attempts > 0 {
			names.fail(objectkey.String(scope.key), err)
		}
	}
	return names
}

// leaveOut adds objects that are left out to the status: their count, and the reasons for some of them by
// name.
func (s *Status) leaveOut(count int, named map[string]string) {
	if count > 0 {
		s.LeftOut += count
		s.LeftOutObjects = leftout.Join(s.LeftOutObjects, named)
	}
}

// severity orders phases by how far they are from a healthy informer.
var severity = map[Phase]int{PhaseWatching: 0, PhaseStreaming: 1, PhasePending: 2, PhaseListing: 3, PhaseAbsent: 4, PhaseBackingOff: 5}

// refused reports whether the server refuses the objects to the informer.
func (s *Status) refused() bool { return s.Attempts > 0 && protocol.Refuses(s.LastError) }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
