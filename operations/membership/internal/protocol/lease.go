// Package protocol decides what a member of a group does, as a function of the Leases of the group
// that it has listed and of the time. It has no goroutine, no client and no clock of its own.
//
//	LIST ─► View ─► Sightings: since when each Lease is as it is ─► Decide ─► Decision
//	                                        Hold: what was acquired ──┘
//
// The rules, and why no two members act on a slot, are in the comment of package membership.
package protocol

import (
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// What is on the Leases of a group.
const (
	// Label has the name of the group, on all of its Leases.
	Label = "informer-gen.dev/shard-members"
	// AnnotationState is the state of a member, on its life.
	AnnotationState = "informer-gen.dev/shard-state"
	// AnnotationAcquisition tells the acquisitions of a slot apart.
	AnnotationAcquisition = "informer-gen.dev/shard-acquisition"
)

// The states of a member. Slots should be those of members that have joined.
const (
	Joining = "joining" // has not renewed its life yet, or was refused to write slots
	Joined  = "joined"
	Leaving = "leaving"
)

// Slots is the number of equal ranges of the hashes, each of which one member owns.
const Slots = 64

// RangeOf returns the hashes of a slot.
func RangeOf(slot int) shard.Range {
	ranges, _ := shard.Of(slot, Slots) // of a valid slot
	return ranges[0]
}

// Union returns the ranges as a set.
func Union(ranges []shard.Range) shard.Ranges {
	all, _ := shard.RangesOf(ranges...) // of valid ones
	return all
}

// Group is a group of replicas: what all of its members must have in common.
type Group struct {
	Name                         string
	LeaseDuration, RenewInterval time.Duration
}

// A member acts for 9/20 of LeaseDuration after it began to list and to renew its life. Others hold
// it for dead when they have seen no life for 3/2 of that. If its clock runs 20 % slow and theirs
// 20 % fast, it stops just then: 9/20 / 0.8 = 27/40 / 1.2. If theirs run 20 % slow, they have
// waited for 27/32 of LeaseDuration in truth, and have seen its last renewal after up to 5/32.

// ActFor is the time that a member may act after it began to list and to renew its life.
func (g Group) ActFor() time.Duration { return g.LeaseDuration * 9 / 20 }

// DeadAfter is the time that others wait.
func (g Group) DeadAfter() time.Duration { return g.LeaseDuration * 27 / 40 }

// clearAfter is when a slot of the dead is freed by those who should not have it: after the member
// that should has had time to take it.
func (g Group) clearAfter() time.Duration { return g.DeadAfter() + g.RenewInterval/2 }

// SlotName returns the name of the Lease of a slot, such as "orders-slot-07".
func (g Group) SlotName(slot int) string { return fmt.Sprintf("%s-slot-%02d", g.Name, slot) }

// LifeName returns the name of the Lease that a session renews.
func (g Group) LifeName(session string) string {
	return g.Name + "-member-" + session[strings.LastIndexByte(session, '/')+1:]
}

// Slot returns the Lease of a slot, nil if there is none, with another owner, "" for none.
func (g Group) Slot(slot int, lease *coordinationv1.Lease, owner, acquisition string) *coordinationv1.Lease {
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: g.SlotName(slot)}}
	}
	lease = g.with(lease, owner, AnnotationAcquisition, acquisition)
	lease.Spec.AcquireTime = &metav1.MicroTime{Time: time.Now()}
	return lease
}

// Life returns the life of a session, nil if there is none, with another state.
func (g Group) Life(lease *coordinationv1.Lease, session, state string) *coordinationv1.Lease {
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: g.LifeName(session)}}
	}
	lease = g.with(lease, session, AnnotationState, state)
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(g.LeaseDuration / time.Second))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
	return lease
}

// with returns a Lease of the group with another holder and annotation. Its times are for people.
func (g Group) with(lease *coordinationv1.Lease, holder, annotation, value string) *coordinationv1.Lease {
	lease = lease.DeepCopy()
	metav1.SetMetaDataLabel(&lease.ObjectMeta, Label, g.Name)
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, annotation, value)
	lease.Spec.HolderIdentity = nil
	if holder != "" {
		lease.Spec.HolderIdentity = &holder
	}
	return lease
}

// Holder returns who holds a Lease, "" if nobody does.
func Holder(lease *coordinationv1.Lease) string {
	if lease == nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// random returns a text that no process has had before.
func random() string { return rand.String(10) }

// NewSession returns the name of a process as a member, which is the holder of its Leases.
func NewSession(identity string) string { return identity + "/" + random() }

// IdentityOf returns the identity in the name of a session.
func IdentityOf(session string) string { return session[:max(strings.LastIndexByte(session, '/'), 0)] }
