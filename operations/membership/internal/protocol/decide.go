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
	Session string        // of this member
	Began   time.Duration // when the LIST did
	View    View
	Seen    Sightings
	Holds   map[int]*Hold // by slot
	// Leaving reports whether this member takes nothing any more, Keeping whether it gives nothing up
	// yet. Wary reports whether versions have gone backwards lately, so that what seems to be given up
	// may not be.
	Leaving, Keeping, Wary bool
	// Busy reports whether work is running in a slot.
	Busy func(slot int) bool
}

// Decision follows from a situation.
type Decision struct {
	// Members are those that should own slots, and Targets who should own each one.
	Members, Targets []string
	// Take has the slots to acquire, and whether to wait before acting on them.
	Take map[int]bool
	// Free has the slots to give up, and those of the dead that another member should have, which may
	// not know that yet.
	Free []int
	// Drop has lives that nobody needs.
	Drop []*coordinationv1.Lease
	// Unowned are the slots of which no member is known that may act on them.
	Unowned map[int]bool
	// Dead are members whose slots are taken, which were not seen to live.
	Dead map[string]bool
	// Awaits reports whether a member that lives has to give up a slot that should be this one's.
	Awaits bool
	// Due is when there will be more to decide, 0 if nothing is known of that.
	Due time.Duration
}

// Decide returns what to do. It is a function of its argument only.
func Decide(s Situation) Decision {
	d := Decision{Members: s.members(), Take: map[int]bool{}, Unowned: map[int]bool{}, Dead: map[string]bool{}}
	owners := make([]string, len(s.View.Slots))
	for slot, lease := range s.View.Slots {
		owners[slot] = Holder(lease)
	}
	d.Targets = plan(owners, d.Members)
	for slot := range d.Targets {
		s.decideSlot(&d, slot)
	}
	if len(d.Members) > 0 && d.Members[0] == s.Session {
		d.Drop = s.forgotten()
	}
	for _, seen := range s.Seen.of {
		d.wake(s.Began, seen.since+s.DeadAfter())
		d.wake(s.Began, seen.since+s.clearAfter())
	}
	for _, h := range s.Holds {
		d.wake(s.Began, h.ripe+s.RenewInterval/8) // with those that were acquired just after
	}
	return d
}

// wake makes t the next time to decide, if it is to come and is earlier.
func (d *Decision) wake(now, t time.Duration) {
	if t > now && (d.Due == 0 || t < d.Due) {
		d.Due = t
	}
}

func (s Situation) decideSlot(d *Decision, slot int) {
	lease, h := s.View.Slots[slot], s.Holds[slot]
	owner, mine, dead := Holder(lease), d.Targets[slot] == s.Session && !s.Leaving, s.isDead(lease)
	if owner == "" || dead {
		d.Unowned[slot] = true
	}
	switch {
	case owner == s.Session && !h.Made(lease): // of an earlier time, before a restore of a backup
		if !s.Leaving {
			d.Take[slot] = true
		}
	case owner == s.Session && !s.Leaving && (h.ripe == 0 || !h.written && mine):
		d.Take[slot] = false // by a write whose response was lost, or since this member could not act
	case owner == s.Session:
		if !mine && !s.Keeping && h.isRipe(s.Began) && !s.Busy(slot) {
			d.Free = append(d.Free, slot)
		}
	case !mine:
		if dead && s.unchanged(lease) >= s.clearAfter() {
			d.Free = append(d.Free, slot)
		}
	case owner == "":
		d.Take[slot] = lease == nil || s.Wary
	case dead:
		d.Take[slot], d.Dead[owner] = false, true
	case s.View.Lives[owner] != nil:
		d.Awaits = true
	}
}

// unchanged returns for how long a Lease was seen unchanged.
func (s Situation) unchanged(lease *coordinationv1.Lease) time.Duration {
	return s.Began - s.Seen.of[lease.Name].since
}

// isDead reports whether a slot has an owner that was not seen to live for long enough.
func (s Situation) isDead(lease *coordinationv1.Lease) bool {
	return Holder(lease) != "" && Holder(lease) != s.Session && s.unchanged(lease) >= s.DeadAfter()
}

// members returns the sessions that should own slots: those that have joined and were seen to
// live, of each identity the one that came last.
func (s Situation) members() []string {
	last := map[string]string{}
	for _, session := range s.View.Sessions() {
		life := s.View.Lives[session]
		alive := session == s.Session || s.unchanged(life) < s.DeadAfter()
		if !alive || life.Annotations[AnnotationState] != Joined {
			continue
		}
		other := s.View.Lives[last[IdentityOf(session)]]
		if other == nil || !life.CreationTimestamp.Before(&other.CreationTimestamp) {
			last[IdentityOf(session)] = session
		}
	}
	return slices.Sorted(maps.Values(last))
}

// forgotten returns the lives of members that have died, and that no slot names.
func (s Situation) forgotten() (lives []*coordinationv1.Lease) {
	named := map[string]bool{s.Session: true}
	for _, lease := range s.View.Slots {
		named[Holder(lease)] = true
	}
	for session, life := range s.View.Lives {
		if !named[session] && s.unchanged(life) >= s.DeadAfter() {
			lives = append(lives, life)
		}
	}
	return lives
}
