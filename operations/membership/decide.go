package membership

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// sighting is a state of a Lease, and since when a member has seen it.
type sighting struct {
	state string
	since time.Duration
}

// sightings are those of all Leases of a group, by name. The state of a slot has that of its
// owner's life in it.
type sightings struct {
	received time.Duration // when the last LIST was
	of       map[string]sighting
}

// add returns the sightings after another LIST. At most so much of the time since the last one
// counts: a member that could not list for longer, because the API server did not answer or the
// process was stopped, does not know whether the others could renew.
func (s sightings) add(v view, began, received, atMost time.Duration) sightings {
	ignored := max(began-s.received-atMost, 0)
	next := sightings{received: received, of: make(map[string]sighting, len(v.slots)+len(v.lives))}
	see := func(name, state string) {
		next.of[name] = sighting{state, received}
		if before, ok := s.of[name]; ok && before.state == state {
			next.of[name] = sighting{state, before.since + ignored}
		}
	}
	for _, life := range v.lives {
		see(life.Name, version(life))
	}
	for _, lease := range v.slots {
		see(lease.Name, version(lease)+" "+version(v.lives[holder(lease)]))
	}
	return next
}

// hold is an acquisition of a slot by this process.
type hold struct {
	id       string
	attempts int
	// wait reports whether the slot was not seen given up, so that others may yet act on it.
	wait bool
	// term is that in which the slot was written last, -1 if it was not or was to be given up.
	term int
	// ripe is when this member may act on the slot, 0 if it was not acquired yet.
	ripe time.Duration
}

// acquisition is a text that differs for each write.
func (h *hold) acquisition() string { return h.id + "." + strconv.Itoa(h.attempts) }

// made reports whether a slot shows this acquisition.
func (h *hold) made(lease *coordinationv1.Lease) bool {
	return h != nil && lease != nil && strings.HasPrefix(lease.Annotations[annotationAcquisition], h.id+".")
}

// isRipe reports whether nobody else acts by an acquisition before this one.
func (h *hold) isRipe(now time.Duration) bool { return h.ripe > 0 && now >= h.ripe }

// situation is the knowledge of a member that has listed the Leases of its group.
type situation struct {
	options Options
	session string
	began   time.Duration // when the LIST did
	view    view
	seen    sightings
	holds   map[place]*hold
	term    int
	// leaving reports whether this member takes nothing any more, keeping whether it gives nothing up
	// yet. Wary reports whether versions have gone backwards lately, so that what seems to be given up
	// may not be.
	leaving, keeping, wary bool
	// busy reports whether work is running in a slot.
	busy func(shard.Range) bool
}

// decision follows from a situation.
type decision struct {
	count int
	// members are those that should own slots, and targets who should own each one.
	members, targets []string
	// take has the slots to acquire, and whether to wait before acting on them; give those to give
	// up or, of another number of slots, to delete; clear those of the dead that another member
	// should have, which may not know that yet. Drop has Leases that nobody needs.
	take  map[place]bool
	give  []place
	clear []*coordinationv1.Lease
	drop  []*coordinationv1.Lease
	// unowned are the slots of which no member is known that may act on them.
	unowned []place
	// dead are members whose slots are taken, which were not seen to live.
	dead map[string]bool
	// awaits reports whether a member that lives has to give up a slot that should be this one's.
	awaits bool
	// due is when there will be more to decide, 0 if nothing is known of that.
	due time.Duration
}

// decide returns what to do. It is a function of its argument only.
func decide(s situation) decision {
	d := decision{members: s.members(), take: map[place]bool{}, dead: map[string]bool{}}
	count, places := s.view.places(s.options.Slots)
	owners := make([]string, count)
	for i := range owners {
		owners[i] = holder(s.view.slots[place{count, i}])
	}
	d.count, d.targets = count, current(owners, d.members)
	if len(d.members) >= s.options.MinMembers {
		d.targets = plan(owners, d.members)
	}
	for _, p := range places {
		s.decideSlot(&d, p)
	}
	if len(d.members) > 0 && d.members[0] == s.session {
		d.drop = append(d.drop, s.forgotten()...)
	}
	for _, life := range s.view.lives {
		d.wake(s.began, s.seen.of[life.Name].since+deadAfter(s.options.LeaseDuration))
	}
	for _, h := range s.holds {
		d.wake(s.began, h.ripe+s.options.RenewInterval/8) // with those that were acquired just after
	}
	return d
}

// wake makes t the next time to decide, if it is to come and is earlier.
func (d *decision) wake(now, t time.Duration) {
	if t > now && (d.due == 0 || t < d.due) {
		d.due = t
	}
}

// target returns who should own a slot, "" for one of another number of slots.
func (d *decision) target(p place) string {
	if p.count != d.count || p.index >= len(d.targets) {
		return ""
	}
	return d.targets[p.index]
}

func (s situation) decideSlot(d *decision, p place) {
	lease, h := s.view.slots[p], s.holds[p]
	owner, mine, dead := holder(lease), d.target(p) == s.session, s.isDead(lease)
	if owner == "" || dead {
		d.unowned = append(d.unowned, p)
	}
	clears := p.count != d.count && len(d.members) > 0 && d.members[0] == s.session
	switch {
	case owner == s.session && !h.made(lease):
		d.take[p] = true // of an earlier time, before a restore of a backup
	case owner == s.session && (h.ripe == 0 || h.term != s.term && mine):
		d.take[p] = false // by a write whose response was lost, or in an earlier term
	case owner == s.session && !mine && !s.keeping && h.isRipe(s.began) && !s.busy(p.slot()):
		d.give = append(d.give, p)
	case owner == s.session:
	case clears && (owner == "" && !s.wary || dead):
		d.drop = append(d.drop, lease)
	case !mine:
		if dead && s.unchanged(lease.Name) >= deadAfter(s.options.LeaseDuration)+s.options.RenewInterval/2 {
			d.clear = append(d.clear, lease)
		}
	case owner == "":
		d.take[p] = lease == nil || s.wary
	case dead:
		d.take[p] = false
		d.dead[owner] = true
	case s.view.lives[owner] == nil:
		d.wake(s.began, s.seen.of[lease.Name].since+deadAfter(s.options.LeaseDuration))
	default:
		d.awaits = true
		d.wake(s.began, s.seen.of[lease.Name].since+deadAfter(s.options.LeaseDuration))
	}
	if s.leaving {
		delete(d.take, p)
	}
	if dead {
		d.wake(s.began, s.seen.of[lease.Name].since+deadAfter(s.options.LeaseDuration)+s.options.RenewInterval/2)
	}
}

// unchanged returns for how long a Lease was seen unchanged.
func (s situation) unchanged(name string) time.Duration { return s.began - s.seen.of[name].since }

// isDead reports whether a slot has an owner that was not seen to live for long enough.
func (s situation) isDead(lease *coordinationv1.Lease) bool {
	return holder(lease) != "" && holder(lease) != s.session && s.unchanged(lease.Name) >= deadAfter(s.options.LeaseDuration)
}

// members returns the sessions that should own slots: those that have joined and were seen to
// live, of each identity the one that came last.
func (s situation) members() []string {
	last := map[string]string{}
	for _, session := range s.view.sessions() {
		life := s.view.lives[session]
		alive := session == s.session || s.unchanged(life.Name) < deadAfter(s.options.LeaseDuration)
		if !alive || life.Annotations[annotationState] != stateJoined {
			continue
		}
		other := s.view.lives[last[identityOf(session)]]
		if other == nil || !life.CreationTimestamp.Before(&other.CreationTimestamp) {
			last[identityOf(session)] = session
		}
	}
	return slices.Sorted(maps.Values(last))
}

// forgotten returns the lives of members that have died, and that no slot names.
func (s situation) forgotten() (lives []*coordinationv1.Lease) {
	named := map[string]bool{s.session: true}
	for _, lease := range s.view.slots {
		named[holder(lease)] = true
	}
	for session, life := range s.view.lives {
		if !named[session] && s.unchanged(life.Name) >= deadAfter(s.options.LeaseDuration) {
			lives = append(lives, life)
		}
	}
	return lives
}
