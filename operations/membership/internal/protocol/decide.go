package protocol

import (
	"maps"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// Situation holds the knowledge of a member that has listed the Leases of its group.
type Situation struct {
	Group
	View
	Session string // this member's session
	// Acquired holds the slots that this process has acquired and not lost since. Written holds the
	// acquired slots that it has written since it may act, and Busy the slots in which work is running.
	Acquired, Written, Busy Set
	// Leaving is the time since when the member leaves, or 0 if it does not. Until Wary it takes no slot
	// that was given up: versions have gone backwards, so another member may act on it.
	Leaving, Wary time.Duration
}

// Decision says what a member does in a Situation.
type Decision struct {
	// Targets holds the session that should own each slot.
	Targets []string
	// Mine holds the slots that this member should own. Unowned holds the slots on which no known member
	// may act.
	Mine, Unowned Set
	// Write has the owner to write for each slot that must be written: this member, "" or Unknown.
	Write map[int]string
	// Keep reports whether the member must keep its slots although it leaves, since other members may not
	// know of that yet.
	Keep bool
	// Rival is the later member that lives under this member's identity and gets its slots. It is empty if
	// there is none.
	Rival string
	// Drop holds lives that are not needed any more.
	Drop []*coordinationv1.Lease
	// Due is when the next LIST is due.
	Due time.Duration
}

// Decide returns what the member does. It is a function of its argument only.
func Decide(s Situation) Decision {
	d := Decision{Write: map[int]string{}, Due: s.began + s.RenewInterval()}
	owners := make([]string, len(s.Slots))
	members, latest := s.members()
	if latest != s.Session && s.Leaving == 0 && s.isActive(s.Session) {
		d.Rival = latest
	}
	for slot, lease := range s.Slots {
		owners[slot] = Holder(lease)
	}
	d.Targets = plan(owners, members)
	d.Keep = s.Leaving > 0 && len(members) > 0 && s.began < s.Leaving+s.RenewInterval()*5/4
	for slot, lease := range s.Slots {
		s.decideSlot(&d, slot, lease)
	}
	if first := slices.IndexFunc(members, s.seenLately); first >= 0 && members[first] == s.Session && s.Leaving == 0 {
		for slot, lease := range s.Slots {
			if lease == nil && !s.seenLately(d.Targets[slot]) { // otherwise it would have no Lease until its member is known to be dead
				d.Write[slot] = Unknown
			}
		}
	}
	for session, life := range s.Lives { // the first member drops the lives of dead members, which must stay until their slots are taken
		if len(members) > 0 && members[0] == s.Session && session != s.Session && s.Unchanged(life) >= 2*s.LeaseDuration {
			d.Drop = append(d.Drop, life)
		}
	}
	d.wake(s, s.Wary-s.began)
	if s.Leaving > 0 || len(d.Write) > 0 {
		d.wake(s, s.RenewInterval()/4)
	}
	return d
}

// wake makes the next LIST due some time after the last one, unless it is due earlier.
func (d *Decision) wake(s Situation, after time.Duration) {
	if after > 0 {
		d.Due = min(d.Due, s.began+after)
	}
}

func (s Situation) decideSlot(d *Decision, slot int, lease *coordinationv1.Lease) {
	owner, dead, overdue := Holder(lease), false, false
	mine := d.Targets[slot] == s.Session && s.Leaving == 0
	if owner != "" && owner != s.Session {
		unchanged := s.Unchanged(lease)
		dead, overdue = unchanged >= s.DeadAfter(), unchanged >= s.clearAfter()
		d.wake(s, s.DeadAfter()-unchanged)
		d.wake(s, s.clearAfter()-unchanged)
	}
	if mine {
		d.Mine |= SetOf(slot)
	}
	if owner == "" || owner == Unknown || dead || owner == s.Session && !s.Written.Has(slot) {
		d.Unowned |= SetOf(slot)
	}
	switch acquired := s.Acquired.Has(slot); {
	case owner == s.Session && !acquired: // it was written by a request without a response, or before a restore of a backup
		if s.Leaving == 0 {
			d.Write[slot] = Unknown
		}
	case owner == s.Session && mine:
		if !s.Written.Has(slot) {
			d.Write[slot] = s.Session
		}
	case owner == s.Session:
		if !d.Keep && !s.Busy.Has(slot) {
			d.Write[slot] = ""
		}
	case mine && lease == nil:
		d.Write[slot] = Unknown
	case mine && (owner == "" && s.began >= s.Wary || dead):
		d.Write[slot] = s.Session
	case mine && s.Lives[owner] != nil: // the owner lives, and must give it up
		d.wake(s, s.RenewInterval()/4)
	case overdue: // the member that should own it may not know that it can take it
		d.Write[slot] = ""
	}
}

// seenLately reports whether a session is this one, or was seen to live lately.
func (s Situation) seenLately(session string) bool {
	life := s.Lives[session]
	return life != nil && (session == s.Session || s.Unchanged(life) < 2*s.RenewInterval())
}

// isActive reports whether the life of a session says that it may own slots.
func (s Situation) isActive(session string) bool {
	life := s.Lives[session]
	return life != nil && life.Annotations[AnnotationState] == Active
}

// members returns the sessions that should own slots: the active sessions that were seen to live, and only
// the latest one of each identity. It also returns the latest session of this member's identity.
func (s Situation) members() (all []string, latest string) {
	last := map[string]string{}
	for _, session := range slices.Sorted(maps.Keys(s.Lives)) {
		life := s.Lives[session]
		if !s.isActive(session) || session != s.Session && s.Unchanged(life) >= s.DeadAfter() {
			continue
		}
		other := s.Lives[last[IdentityOf(session)]]
		if other == nil || !life.CreationTimestamp.Before(&other.CreationTimestamp) {
			last[IdentityOf(session)] = session
		}
	}
	return slices.Sorted(maps.Values(last)), last[IdentityOf(s.Session)]
}
