package membership

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// view is the Leases of a group as one LIST returns them: what they were at one time, which
// may be over.
type view struct {
	// table is the Lease that says who owns what, nil if there is none.
	table *coordinationv1.Lease
	ownership
	// err is why the ownership can't be read.
	err error
	// peers are the members, by session.
	peers []peer
}

// peer is a member as its Lease shows it.
type peer struct {
	lease *coordinationv1.Lease
	candidate
	expired, leaving bool
	mark             mark
	duration         time.Duration
}

// newView reads the Leases of a list.
func newView(o Options, list *coordinationv1.LeaseList) view {
	var v view
	for i := range list.Items {
		if lease := &list.Items[i]; lease.Name != o.Group {
			v.peers = append(v.peers, newPeer(o, lease))
		} else {
			v = v.withTable(lease)
		}
	}
	slices.SortFunc(v.peers, func(a, b peer) int { return cmp.Compare(a.session, b.session) })
	return v
}

func newPeer(o Options, lease *coordinationv1.Lease) peer {
	p := peer{
		lease:     lease,
		candidate: candidate{session: lease.Name},
		expired:   isExpired(lease),
		leaving:   lease.Annotations[annotationLeaving] != "",
		mark:      parseMark(lease.Annotations[annotationMark]),
		duration:  o.LeaseDuration,
	}
	if !p.expired {
		p.identity = *lease.Spec.HolderIdentity
	}
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil && *seconds > 0 {
		p.duration = time.Duration(*seconds) * time.Second
	}
	return p
}

// withTable returns the view with another Lease of the group.
func (v view) withTable(lease *coordinationv1.Lease) view {
	v.table = lease
	if v.ownership, v.err = decodeOwnership(lease.Annotations[annotationOwners]); v.err != nil {
		v.err = fmt.Errorf("lease %q: annotation %s can't be read; delete the Lease to divide everything anew: %w", lease.Name, annotationOwners, v.err)
	}
	return v
}

// withPeer returns the view with another Lease of a member.
func (v view) withPeer(o Options, lease *coordinationv1.Lease) view {
	v.peers = slices.Clone(v.peers)
	for i := range v.peers {
		if v.peers[i].session == lease.Name {
			v.peers[i] = newPeer(o, lease)
		}
	}
	return v
}

// uid is that of the Lease of the group, "" if there is none.
func (v view) uid() types.UID {
	if v.table == nil {
		return ""
	}
	return v.table.UID
}

// peer returns the member of a session, nil if it has no Lease.
func (v view) peer(session string) *peer {
	i, ok := slices.BinarySearchFunc(v.peers, session, func(p peer, session string) int { return cmp.Compare(p.session, session) })
	if !ok {
		return nil
	}
	return &v.peers[i]
}

// members returns the sessions that are not expired.
func (v view) members() []string {
	var sessions []string
	for _, p := range v.peers {
		if !p.expired {
			sessions = append(sessions, p.session)
		}
	}
	return sessions
}

// isSecond reports whether a mark shows that there was another Lease of the group before.
func (v view) isSecond() bool {
	return slices.ContainsFunc(v.peers, func(p peer) bool {
		return !p.expired && (p.mark.count > 1 || p.mark.table != "" && p.mark.table != v.uid())
	})
}

// candidates returns who may own ranges: members that are not expired or leaving, and of those
// with the same identity the one that came last.
func (v view) candidates() []candidate {
	last := map[string]peer{}
	for _, p := range v.peers {
		if p.expired {
			continue
		}
		if other, ok := last[p.identity]; !ok || later(p.lease, other.lease) {
			last[p.identity] = p
		}
	}
	var found []candidate
	for _, p := range v.peers {
		if p.expired || p.leaving || last[p.identity].session != p.session {
			continue
		}
		found = append(found, p.candidate)
	}
	return found
}

// later reports whether a Lease was created after another one.
func later(a, b *coordinationv1.Lease) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return b.CreationTimestamp.Before(&a.CreationTimestamp)
	}
	return created(a).After(created(b).Time) || created(a).Equal(created(b)) && a.Name > b.Name
}

// created is when a member says that it has created its Lease, which is more exact than the
// time of the server.
func created(lease *coordinationv1.Lease) *metav1.MicroTime {
	if lease.Spec.AcquireTime == nil {
		return &metav1.MicroTime{}
	}
	return lease.Spec.AcquireTime
}

// olderThan reports whether other was written after v.
func (v view) olderThan(other view) bool {
	return v.table != nil && v.uid() == other.uid() && v.err == nil && v.epoch < other.epoch
}

// without returns the view without the Lease of a member.
func (v view) without(session string) view {
	v.peers = slices.DeleteFunc(slices.Clone(v.peers), func(p peer) bool { return p.session == session })
	return v
}
