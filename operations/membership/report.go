package membership

import (
	"time"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

func newSlotsStatus(before SlotsStatus, slots []shard.Range) SlotsStatus {
	ranges := union(slots)
	now := SlotsStatus{Count: len(slots), Ranges: ranges.String(), Fraction: ranges.Fraction(), Since: before.Since}
	if now.Count == 0 {
		now.Since = time.Time{}
	} else if before.Count == 0 {
		now.Since = time.Now()
	}
	return now
}

// reportLocked makes the status that of what is known.
func (m *Member) reportLocked() {
	s, d := &m.session, m.session.decision
	var owned, gaining, losing, unowned []shard.Range
	for p := range s.holds {
		if s.decision.target(p) != s.name && m.held.Contains(p.slot().First) && !m.acting.Contains(p.slot().First) {
			losing = append(losing, p.slot())
		}
	}
	owners, targets := map[string]int{}, map[string]int{}
	for p, lease := range s.view.slots {
		owners[holder(lease)]++
		if m.acting.Contains(p.slot().First) && holder(lease) == s.name {
			owned = append(owned, p.slot())
		}
	}
	for i, target := range d.targets {
		p := place{d.count, i}
		targets[target]++
		if target == s.name && !m.acting.Contains(p.slot().First) {
			gaining = append(gaining, p.slot())
		}
	}
	for _, p := range d.unowned {
		if !m.acting.Contains(p.slot().First) {
			unowned = append(unowned, p.slot())
		}
	}
	status := &m.status
	status.Slots, status.Listed = d.count, time.Now()
	status.Owned, status.Gaining = newSlotsStatus(status.Owned, owned), newSlotsStatus(status.Gaining, gaining)
	status.Losing, status.Unowned = newSlotsStatus(status.Losing, losing), newSlotsStatus(status.Unowned, unowned)
	status.Members = nil
	for _, session := range s.view.sessions() {
		life := s.view.lives[session]
		status.Members = append(status.Members, MemberStatus{
			Identity: identityOf(session), Lease: life.Name, Owned: owners[session], Target: targets[session],
			Unchanged: max(s.seen.received-s.seen.of[life.Name].since, 0), State: life.Annotations[annotationState],
		})
	}
	status.Waiting = ""
	if s.leaving > 0 {
		status.Phase = Leaving
	} else if targets[s.name] > 0 || len(owned) > 0 {
		status.Phase = Active
	}
	switch {
	case len(owned) > 0:
	case s.view.lives[s.name] == nil:
		status.Waiting = "its life was not listed yet"
	case targets[s.name] == 0 && len(d.members) < m.options.MinMembers:
		status.Waiting = "there are fewer members than MinMembers"
	case targets[s.name] == 0:
		status.Waiting = "there are more members than slots, or another one has its identity"
	case len(s.holds) > 0:
		status.Waiting = "others may act on its slots until they have listed them"
	default:
		status.Waiting = "others have to give its slots up"
	}
}
