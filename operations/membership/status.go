package membership

import (
	"cmp"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Phase names what a member is doing.
type Phase string

const (
	// Stopped is before and after Run.
	Stopped Phase = "stopped"
	// Joining is until it has listed the Leases of the group and has renewed its life.
	Joining Phase = "joining"
	// Active is while it may own slots.
	Active Phase = "active"
	// Expired is while it may not act, since it could not renew its life or list the slots in time.
	Expired Phase = "expired"
	// Leaving is while it gives everything up.
	Leaving Phase = "leaving"
)

// Status says what a member is doing, for people and for readiness probes. It marshals
// into JSON.
type Status struct {
	Group         string        `json:"group"`
	Identity      string        `json:"identity"`
	LeaseDuration time.Duration `json:"leaseDuration"`
	// Lease is the name of its life.
	Lease string `json:"lease,omitempty"`
	Phase Phase  `json:"phase"`
	// Waiting is why it owns nothing.
	Waiting string `json:"waiting,omitempty"`
	// Owned are the slots that it may act on, Gaining those that it should own besides, Losing those that it has to give
	// up, and Unowned what nobody owns.
	Owned   SlotsStatus `json:"owned"`
	Gaining SlotsStatus `json:"gaining"`
	Losing  SlotsStatus `json:"losing"`
	Unowned SlotsStatus `json:"unowned"`
	// Gained and Lost count the slots that it has acquired and given up or lost.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// HoldingUp counts the works of Begin that run in slots that are to be given up, and
	// LongestHoldUp is for how long the oldest of them has been running.
	HoldingUp     int           `json:"holdingUp"`
	LongestHoldUp time.Duration `json:"longestHoldUp"`
	// Members are the members of the group, by their identities.
	Members []MemberStatus `json:"members,omitempty"`
	// Renewed is when its life was renewed last.
	Renewed time.Time `json:"renewed,omitzero"`
	// Failures counts the requests that failed, and LastError is the last one's error, at
	// LastFailure.
	Failures    int       `json:"failures"`
	LastError   string    `json:"lastError,omitempty"`
	LastFailure time.Time `json:"lastFailure,omitzero"`
}

// SlotsStatus is a set of slots.
type SlotsStatus struct {
	Count int `json:"count"`
	// Since is when there was none of them last, zero if there is none.
	Since time.Time `json:"since,omitzero"`
	// Ranges are the ranges as shard.Ranges.String returns them, and Fraction the part of all
	// hashes in them.
	Ranges   string  `json:"ranges"`
	Fraction float64 `json:"fraction"`
}

// MemberStatus is a member as this one sees it.
type MemberStatus struct {
	Identity string `json:"identity"`
	Lease    string `json:"lease"`
	// Owned counts the slots that name it as their owner, and Target those that it should own.
	Owned  int `json:"owned"`
	Target int `json:"target"`
	// Unchanged is for how long its life was seen unchanged.
	Unchanged time.Duration `json:"unchanged"`
	State     string        `json:"state"`
}

// Status returns what this member is doing. Its slices must not be changed.
func (m *Member) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	s := m.status
	s.Lease = m.group.LifeName(m.session)
	for w := range m.works {
		if !m.acting.Contains(w.hash) {
			s.HoldingUp++
			s.LongestHoldUp = max(s.LongestHoldUp, m.clock.now()-w.began)
		}
	}
	if m.until == 0 {
		s.Owned = newSlotsStatus(s.Owned, nil)
		if s.Phase == Active {
			s.Phase, s.Waiting = Expired, "life was not renewed or slots were not listed in time"
		}
	}
	return s
}

func newSlotsStatus(before SlotsStatus, slots []shard.Range) SlotsStatus {
	ranges := protocol.Union(slots)
	now := SlotsStatus{Count: len(slots), Ranges: ranges.String(), Fraction: ranges.Fraction()}
	if now.Count > 0 {
		now.Since = cmp.Or(before.Since, time.Now())
	}
	return now
}

// reportLocked makes the status that of what is known.
func (m *Member) reportLocked() {
	var owned, gaining, losing, unowned []shard.Range
	owners, targets := map[string]int{}, map[string]int{} // how many slots have them
	for slot, target := range m.decision.Targets {
		hashes := protocol.RangeOf(slot)
		acts := m.acting.Contains(hashes.First)
		owners[protocol.Holder(m.view.Slots[slot])]++
		targets[target]++
		switch {
		case acts:
			owned = append(owned, hashes)
		case target == m.session:
			gaining = append(gaining, hashes)
		case m.held.Contains(hashes.First):
			losing = append(losing, hashes)
		}
		if m.decision.Unowned[slot] && !acts {
			unowned = append(unowned, hashes)
		}
	}
	s := &m.status
	s.Owned, s.Gaining = newSlotsStatus(s.Owned, owned), newSlotsStatus(s.Gaining, gaining)
	s.Losing, s.Unowned = newSlotsStatus(s.Losing, losing), newSlotsStatus(s.Unowned, unowned)
	s.Members = nil
	for _, session := range m.view.Sessions() {
		life := m.view.Lives[session]
		s.Members = append(s.Members, MemberStatus{
			Identity: protocol.IdentityOf(session), Lease: life.Name, Owned: owners[session], Target: targets[session],
			Unchanged: m.seen.Unchanged(life), State: life.Annotations[protocol.AnnotationState],
		})
	}
	s.Phase, s.Waiting = Joining, m.waiting(len(owned), targets[m.session])
	if m.leaving > 0 {
		s.Phase = Leaving
	} else if life := m.view.Lives[m.session]; life != nil && life.Annotations[protocol.AnnotationState] == protocol.Joined {
		s.Phase = Active
	}
}

// waiting says why this member owns nothing.
func (m *Member) waiting(owned, target int) string {
	life := m.view.Lives[m.session]
	switch {
	case owned > 0:
		return ""
	case life == nil:
		return "its life was not listed yet"
	case life.Annotations[protocol.AnnotationState] == protocol.Joining:
		return "it may not write Leases"
	case target == 0:
		return "there are more members than slots, or another one has its identity"
	case len(m.holds) > 0:
		return "others may act on its slots until they have listed them"
	}
	return "others have to give its slots up"
}
