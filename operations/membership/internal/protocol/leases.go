// Package protocol decides what a member of a group does, as a function of the listed Leases of the group
// and of the time. It has no goroutine, no client and no clock.
//
//	LIST ─► View: the Leases, and since when each is as it is ─► Decide ─► Decision
//
// The rules, and why no two members act on a slot, are in the comment of package membership.
package protocol

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
)

const (
	// Label has the name of the group, on all of its Leases.
	Label = "informer-gen.dev/shard-members"
	// AnnotationState is the state of a member, on its life.
	AnnotationState = "informer-gen.dev/shard-state"
	// Unknown is the owner of a slot that some member may own. It has no life.
	Unknown = "unknown"
)

// The states of a member. Only active members should own slots.
const (
	Joining = "joining" // has not renewed its life yet, or was refused to write slots
	Active  = "active"
	Leaving = "leaving"
)

// Group holds the settings that all members of a group have in common.
type Group struct {
	Name          string
	LeaseDuration time.Duration
}

// A member acts for 9/20 of LeaseDuration after it began to list and to renew its life. Other members
// consider it dead when they have seen its life unchanged for 3/2 of that time. If its clock runs 20 % slow
// and theirs 20 % fast, it stops just then: 9/20 / 0.8 = 27/40 / 1.2. If their clocks run 20 % slow, they
// have waited for 27/32 of LeaseDuration in true time, and may have seen its last renewal up to 5/32 late.

// RenewInterval returns the time between two lists, each with a renewal of the life.
func (g Group) RenewInterval() time.Duration { return g.LeaseDuration / 8 }

// ActFor returns the time for which a member may act after it began to list and to renew its life.
func (g Group) ActFor() time.Duration { return g.LeaseDuration * 9 / 20 }

// DeadAfter returns the time after which other members consider a member dead.
func (g Group) DeadAfter() time.Duration { return g.LeaseDuration * 27 / 40 }

// clearAfter returns the time after which members clear a dead member's slot that they should not own. By
// then the member that should own it has had time to take it.
func (g Group) clearAfter() time.Duration { return g.DeadAfter() + g.RenewInterval()/2 }

// SlotName returns the name of the Lease of a slot, such as "orders-slot-07".
func (g Group) SlotName(slot int) string { return fmt.Sprintf("%s-slot-%02d", g.Name, slot) }

// LifeName returns the name of the Lease that a session renews.
func (g Group) LifeName(session string) string {
	return g.Name + "-member-" + session[strings.LastIndexByte(session, '/')+1:]
}

// Lease returns the Lease before, or a new one if that is nil, with another holder and state. An empty
// holder means none, and an empty state leaves the state as it is. The result always differs from before,
// since servers do not write unchanged objects. Its times are for people.
func (g Group) Lease(before *coordinationv1.Lease, name, holder, state string) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if before != nil {
		lease = before.DeepCopy()
	}
	metav1.SetMetaDataLabel(&lease.ObjectMeta, Label, g.Name)
	if state != "" {
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, AnnotationState, state)
	}
	if lease.Spec.HolderIdentity = &holder; holder == "" {
		lease.Spec.HolderIdentity = nil
	}
	lease.Spec.LeaseTransitions = ptr.To(ptr.Deref(lease.Spec.LeaseTransitions, 0) + 1)
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(g.LeaseDuration / time.Second))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
	return lease
}

// Holder returns the holder of a Lease, or "" if it has none.
func Holder(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	return ptr.Deref(lease.Spec.HolderIdentity, "")
}

// NewSession returns a new name of a process as a member. It is the holder of its Leases.
func NewSession(identity string) string { return identity + "/" + rand.String(10) }

// IdentityOf returns the identity in the name of a session.
func IdentityOf(session string) string { return session[:max(strings.LastIndexByte(session, '/'), 0)] }

// View holds the Leases of a group as a LIST returned them, and since when each is unchanged.
type View struct {
	Version         uint64
	Slots           []*coordinationv1.Lease          // nil for a slot without a Lease
	Lives           map[string]*coordinationv1.Lease // by session
	began, received time.Duration                    // when the LIST began and when its response came
	seen            map[string]sighting              // by the name of the Lease
}

// sighting is a state of a Lease, and the time since when a member has seen it. The state of a slot
// includes the state of its owner's life.
type sighting struct {
	state string
	since time.Duration
}

// View returns the view after another LIST. The time since the LIST before counts for at most 5/4 of
// RenewInterval. If the member could not list for longer, since the API server did not answer or the
// process was stopped, it does not know whether other members could renew.
func (g Group) View(before View, list *coordinationv1.LeaseList, began, received time.Duration) View {
	v := View{
		Slots: make([]*coordinationv1.Lease, Slots), Lives: map[string]*coordinationv1.Lease{},
		began: began, received: received, seen: map[string]sighting{},
	}
	v.Version, _ = strconv.ParseUint(list.ResourceVersion, 10, 64) // 0 if versions have no order
	ignored := max(began-before.received-g.RenewInterval()*5/4, 0)
	see := func(lease *coordinationv1.Lease, life sighting) {
		now := sighting{string(lease.UID) + lease.ResourceVersion + " " + life.state, received}
		if last, ok := before.seen[lease.Name]; ok && last.state == now.state {
			now.since = last.since + ignored
		}
		v.seen[lease.Name] = now
	}
	byName := map[string]*coordinationv1.Lease{}
	for i := range list.Items {
		lease := &list.Items[i]
		byName[lease.Name] = lease
		if session := Holder(lease); session != "" && lease.Name == g.LifeName(session) {
			v.Lives[session] = lease
			see(lease, sighting{})
		}
	}
	for slot := range v.Slots {
		if lease := byName[g.SlotName(slot)]; lease != nil {
			v.Slots[slot] = lease
			see(lease, v.seen[g.LifeName(Holder(lease))])
		}
	}
	return v
}

// Unchanged returns how long a Lease had been unchanged when the LIST began.
func (v View) Unchanged(lease *coordinationv1.Lease) time.Duration {
	return v.began - v.seen[lease.Name].since
}
