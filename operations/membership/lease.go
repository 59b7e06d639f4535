package membership

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// What is on the Leases of a group.
const (
	// labelGroup has the name of the group, on all of its Leases.
	labelGroup = "informer-gen.dev/shard-members"
	// annotationState is the state of a member, on its life.
	annotationState = "informer-gen.dev/shard-state"
	// annotationAcquisition tells the acquisitions of a slot apart.
	annotationAcquisition = "informer-gen.dev/shard-acquisition"
)

// The states of a member. Slots should be those of members that have joined.
const (
	stateJoining = "joining" // has not renewed its life yet
	stateJoined  = "joined"
	stateLeaving = "leaving"
)

// Leases is the client of the Leases of a namespace: that of client-go,
// clientset.CoordinationV1().Leases(namespace), or one of runtime/clients. List must return what
// was true when it was called or later, as an API server does if no resourceVersion is given.
type Leases interface {
	Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions) (*coordinationv1.Lease, error)
	Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error)
	List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error)
}

// random returns characters that no process has had before.
func random() string {
	const characters = "bcdfghjklmnpqrstvwxz0123456789"
	text := make([]byte, 10)
	for i := range text {
		text[i] = characters[rand.IntN(len(characters))]
	}
	return string(text)
}

// newSession returns the name of a process as a member, which is the holder of its Leases.
func newSession(identity string) string { return identity + "/" + random() }

// identityOf returns the identity in the name of a session.
func identityOf(session string) string { return session[:max(strings.LastIndexByte(session, '/'), 0)] }

// lifeName returns the name of the Lease that a session renews.
func lifeName(group, session string) string {
	return group + "-member-" + session[strings.LastIndexByte(session, '/')+1:]
}

// place is a slot: the index-th of count equal ranges of the hashes. Groups whose members were
// started with other counts may have slots that overlap.
type place struct{ count, index int }

func (p place) slot() shard.Range {
	ranges, _ := shard.Of(p.index, p.count) // of a valid place
	return ranges[0]
}

// name returns that of the slot's Lease, such as "orders-slot-64-07".
func (p place) name(group string) string {
	return fmt.Sprintf("%s-slot-%d-%0*d", group, p.count, len(strconv.Itoa(p.count-1)), p.index)
}

// placeOf returns the slot that a Lease is of, by its name.
func placeOf(group, name string) (p place, ok bool) {
	rest, isSlot := strings.CutPrefix(name, group+"-slot-")
	count, index, _ := strings.Cut(rest, "-")
	p.count, _ = strconv.Atoi(count)
	p.index, _ = strconv.Atoi(index)
	return p, isSlot && p.count <= maxSlots && p.index >= 0 && p.index < p.count && p.name(group) == name
}

func holder(lease *coordinationv1.Lease) string {
	if lease == nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// version tells all states of a Lease apart.
func version(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	return string(lease.UID) + "/" + lease.ResourceVersion
}

// withHolder returns a Lease of the group with another holder and another annotation. The times
// are for people.
func withHolder(group string, lease *coordinationv1.Lease, holder, annotation, value string) *coordinationv1.Lease {
	lease = lease.DeepCopy()
	metav1.SetMetaDataLabel(&lease.ObjectMeta, labelGroup, group)
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, annotation, value)
	lease.Spec.HolderIdentity = nil
	if holder != "" {
		lease.Spec.HolderIdentity = &holder
	}
	return lease
}

// slotLease returns the Lease of a slot, nil if there is none, with another owner, "" for none.
func slotLease(group string, p place, lease *coordinationv1.Lease, owner, acquisition string) *coordinationv1.Lease {
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: p.name(group)}}
	}
	lease = withHolder(group, lease, owner, annotationAcquisition, acquisition)
	lease.Spec.AcquireTime = &metav1.MicroTime{Time: time.Now()}
	return lease
}

// lifeLease returns the life of a session with another state.
func (o Options) lifeLease(lease *coordinationv1.Lease, session, state string) *coordinationv1.Lease {
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lifeName(o.Group, session)}}
		lease.Spec.AcquireTime = &metav1.MicroTime{Time: time.Now()}
	}
	lease = withHolder(o.Group, lease, session, annotationState, state)
	lease.Spec.LeaseDurationSeconds = new(int32(o.LeaseDuration / time.Second))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
	return lease
}

// view is the Leases of a group as one LIST returned them.
type view struct {
	version uint64
	slots   map[place]*coordinationv1.Lease
	lives   map[string]*coordinationv1.Lease // by session
}

func newView(group string, list *coordinationv1.LeaseList) view {
	v := view{slots: map[place]*coordinationv1.Lease{}, lives: map[string]*coordinationv1.Lease{}}
	v.version, _ = strconv.ParseUint(list.ResourceVersion, 10, 64) // 0 if versions have no order
	for i := range list.Items {
		lease := &list.Items[i]
		if p, ok := placeOf(group, lease.Name); ok {
			v.slots[p] = lease
		} else if session := holder(lease); session != "" && lease.Name == lifeName(group, session) {
			v.lives[session] = lease
		}
	}
	return v
}

// places returns the slots that there are and those that there should be, in order. The members
// go by the smallest number of slots that exists: to begin a group with another one, delete all.
func (v view) places(slots int) (count int, all []place) {
	count = maxSlots + 1
	for p := range v.slots {
		count = min(count, p.count)
	}
	if len(v.slots) == 0 {
		count = slots
	}
	for i := range count {
		all = append(all, place{count, i})
	}
	for p := range v.slots {
		if p.count != count {
			all = append(all, p)
		}
	}
	slices.SortFunc(all[count:], func(a, b place) int { return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.index, b.index)) })
	return count, all
}

// sessions returns the members that have a life, in order.
func (v view) sessions() []string { return slices.Sorted(maps.Keys(v.lives)) }
