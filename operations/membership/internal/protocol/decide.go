package protocol

import (
	"maps"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// Situation is the knowledge of a member that has listed the Leases of its group.
type Situation struct {
	Group
	View
	Session string // of this member
	// Acquired are the slots that this process has acquired and not lost since, Written those of them
	// that it has written since it may act, and Busy those in which work is running.
	Acquired, Written, Busy Set
	// Leaving is since when it leaves, 0 if it does not. Until Wary it takes no slot that was given up,
	// since versions have gone backwards, so that another member may act on it.
	Leaving, Wary time.Duration
}

// Decision follows from a situation.
type Decision struct {
	// Targets says who should own each slot.
	Targets []string
	// Mine are the slots that this member should own, and Unowned those of which no member is known
	// that may act on them.
	Mine, Unowned Set
	// Write has the owners to write to slots: this member, "" or Unknown.
	Write map[int]string
	// Keep reports whether this member leaves and others do not know that yet, so that it keeps what
	// it has.
	Keep bool
	// Rival is the later member that lives under the identity of this one and gets its slots, or "".
	Rival string
	// Drop has lives that nobody needs.
	Drop []*coordinationv1.Lease
	// Due is when to list again.
	Due time.Duration
}

// Decide returns what to do. It is a function of its argument only.
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
			if lease == nil && !s.seenLately(d.Targets[slot]) { // or it has no Lease until its member is known to be dead
				d.Write[slot] = Unknown
			}
		}
	}
	for session, life := range s.Lives { // the first member drops those of the dead, which must stay until their slots are taken
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
	case owner == s.Session && !acquired: // by a write without response, or before a restore of a backup
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
	case mine && s.Lives[owner] != nil: // the owner lives, and has to give it up
		d.wake(s, s.RenewInterval()/4)
	case overdue: // the member that should have it may not know that it can
		d.Write[slot] = ""
	}
}

// seenLately reports whether a session was seen to live lately.
func (s Situation) seenLately(session string) bool {
	life := s.Lives[session]
	return life != nil && (session == s.Session || s.Unchanged(life) < 2*s.RenewInterval())
}

// isActive reports whether the life of a session says that it may own slots.
func (s Situation) isActive(session string) bool {
	life := s.Lives[session]
	return life != nil && life.Annotations[AnnotationState] == Active
}

// members returns the sessions that should own slots: the active ones that were seen to live, and of each
// identity the latest. Besides, it returns the latest session of this identity.
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
