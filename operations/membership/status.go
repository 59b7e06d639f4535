package membership

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

// Phase names what a member is doing.
type Phase string

// The phases of a member.
const (
	Stopped Phase = "stopped"        // before and after Run
	Joining Phase = protocol.Joining // until it has listed the group's Leases and renewed its life, and while it may have no slots
	Active  Phase = protocol.Active  // while it may own slots
	Expired Phase = "expired"        // while it may not act, since it did not renew its life or list the slots in time
	Leaving Phase = protocol.Leaving // while it gives everything up
)

// Status says what a member is doing, for people and for readiness probes. It marshals
// into JSON.
type Status struct {
	Group    string `json:"group"`
	Identity string `json:"identity"`
	Phase    Phase  `json:"phase"`
	// Waiting says why the member owns nothing. It is empty if it owns slots.
	Waiting string `json:"waiting,omitempty"`
	// Owned holds the slots that the member may act on, Gaining the slots that it should own besides, and
	// Losing the slots that it must give up. Unowned holds the slots without a known owner. For a member
	// that cannot list, that is every slot that it does not own.
	Owned   SlotsStatus `json:"owned"`
	Gaining SlotsStatus `json:"gaining"`
	Losing  SlotsStatus `json:"losing"`
	Unowned SlotsStatus `json:"unowned"`
	// Gained counts the slots that the member has acquired, and Lost the slots that it has given up or
	// lost.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// HoldingUp counts the works of Begin that run in slots that must be given up.
	HoldingUp int `json:"holdingUp"`
	// Members has the members of the group, sorted by identity.
	Members []MemberStatus `json:"members,omitempty"`
	// Renewed is when the member's life was last renewed.
	Renewed time.Time `json:"renewed,omitzero"`
	// Failures counts the requests that failed, and LastError is the error of the last one.
	Failures  int    `json:"failures"`
	LastError string `json:"lastError,omitempty"`
}

// SlotsStatus is a set of slots.
type SlotsStatus struct {
	Count int `json:"count"`
	// Since is since when the set has not been empty. It is zero if it is empty.
	Since time.Time `json:"since,omitzero"`
	// Ranges has the hashes of the slots, in the form of shard.Ranges.String.
	Ranges string `json:"ranges"`
}

// MemberStatus is a member as this one sees it.
type MemberStatus struct {
	Identity string `json:"identity"`
	// Owned counts the slots that name it as their owner, and Target the slots that it should own.
	Owned  int `json:"owned"`
	Target int `json:"target"`
	// Unchanged is the time for which its life was seen unchanged.
	Unchanged time.Duration `json:"unchanged"`
	State     string        `json:"state"`
}

// Status returns what this member is doing.
func (m *Member) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	s := m.status
	for w := range m.works {
		if m.acting&w.slot == 0 {
			s.HoldingUp++
		}
	}
	owners, targets := map[string]int{}, map[string]int{} // numbers of slots by session
	for slot, target := range m.decision.Targets {
		owners[protocol.Holder(m.known.Slots[slot])]++
		targets[target]++
	}
	for _, session := range slices.Sorted(maps.Keys(m.known.Lives)) {
		life := m.known.Lives[session]
		s.Members = append(s.Members, MemberStatus{
			Identity: protocol.IdentityOf(session), Owned: owners[session], Target: targets[session],
			Unchanged: max(m.known.Unchanged(life), 0), State: life.Annotations[protocol.AnnotationState],
		})
	}
	life := m.known.Lives[m.known.Session]
	switch {
	case s.Phase == Stopped:
	case m.known.Leaving > 0:
		s.Phase = Leaving
	case life == nil:
		s.Waiting = "the Leases of the group could not be listed yet, or its life not be created"
	case life.Annotations[protocol.AnnotationState] != protocol.Active:
		s.Waiting = "it may not write Leases"
	case m.until == 0:
		s.Phase, s.Waiting = Expired, "its life was not renewed or the slots were not listed in time"
	case m.decision.Rival != "":
		s.Phase, s.Waiting = Joining, "another living member has its identity"
	case m.decision.Mine == 0:
		s.Phase, s.Waiting = Active, "there are more members than slots"
	case m.acting == 0:
		s.Phase, s.Waiting = Active, "other members have to give its slots up, or may act on them until they have listed them"
	default:
		s.Phase = Active
	}
	return s
}

func (s *SlotsStatus) set(slots protocol.Set) {
	if *s = (SlotsStatus{Count: slots.Len(), Since: cmp.Or(s.Since, time.Now()), Ranges: slots.Ranges().String()}); slots == 0 {
		s.Since = time.Time{}
	}
}
