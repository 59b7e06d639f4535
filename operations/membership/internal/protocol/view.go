package protocol

import (
	"maps"
	"slices"
	"strconv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// View is the Leases of a group as one LIST returned them.
type View struct {
	Version uint64
	Slots   []*coordinationv1.Lease          // nil where there is none
	Lives   map[string]*coordinationv1.Lease // by session
}

// View returns the Leases of a list that are of the group.
func (g Group) View(list *coordinationv1.LeaseList) View {
	v := View{Slots: make([]*coordinationv1.Lease, Slots), Lives: map[string]*coordinationv1.Lease{}}
	v.Version, _ = strconv.ParseUint(list.ResourceVersion, 10, 64) // 0 if versions have no order
	byName := map[string]*coordinationv1.Lease{}
	for i := range list.Items {
		lease := &list.Items[i]
		byName[lease.Name] = lease
		if session := Holder(lease); session != "" && lease.Name == g.LifeName(session) {
			v.Lives[session] = lease
		}
	}
	for slot := range v.Slots {
		v.Slots[slot] = byName[g.SlotName(slot)]
	}
	return v
}

// Sessions returns the members that have a life, in order.
func (v View) Sessions() []string { return slices.Sorted(maps.Keys(v.Lives)) }

// version tells all states of a Lease apart.
func version(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	return string(lease.UID) + "/" + lease.ResourceVersion
}

// Sightings are the states of all Leases of a group, by name. The state of a slot has that of its
// owner's life in it.
type Sightings struct {
	received time.Duration // when the last LIST was
	of       map[string]sighting
}

// sighting is a state of a Lease, and since when a member has seen it.
type sighting struct {
	state string
	since time.Duration
}

// Add returns the sightings after another LIST. At most so much of the time since the last one
// counts: a member that could not list for longer, because the API server did not answer or the
// process was stopped, does not know whether the others could renew.
func (s Sightings) Add(v View, began, received, atMost time.Duration) Sightings {
	ignored := max(began-s.received-atMost, 0)
	next := Sightings{received: received, of: make(map[string]sighting, len(v.Slots)+len(v.Lives))}
	see := func(lease *coordinationv1.Lease, state string) {
		next.of[lease.Name] = sighting{state, received}
		if before, ok := s.of[lease.Name]; ok && before.state == state {
			next.of[lease.Name] = sighting{state, before.since + ignored}
		}
	}
	for _, life := range v.Lives {
		see(life, version(life))
	}
	for _, lease := range v.Slots {
		if lease != nil {
			see(lease, version(lease)+" "+version(v.Lives[Holder(lease)]))
		}
	}
	return next
}

// Unchanged returns for how long a Lease was seen unchanged when the last LIST was received.
func (s Sightings) Unchanged(lease *coordinationv1.Lease) time.Duration {
	return max(s.received-s.of[lease.Name].since, 0)
}
