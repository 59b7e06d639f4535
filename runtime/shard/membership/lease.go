package membership

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What is on the Leases of a group.
const (
	// labelGroup has the name of the group, on all of its Leases.
	labelGroup = "informer-gen.dev/shard-group"
	// annotationOwners says who owns what, on the Lease with the name of the group.
	annotationOwners = "informer-gen.dev/shard-owners"
	// annotationMark is the mark of a member.
	annotationMark = "informer-gen.dev/shard-mark"
	// annotationLeaving is on the Lease of a member that is handing over all that it has.
	annotationLeaving = "informer-gen.dev/shard-leaving"
)

// Leases is the client of the Leases of a namespace: that of client-go,
// clientset.CoordinationV1().Leases(namespace), or one of runtime/clients.
type Leases interface {
	Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions) (*coordinationv1.Lease, error)
	Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error)
	List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error)
}

// sessionLength is how many random characters the name of a Lease has.
const sessionLength = 10

// newSession returns the name of a new Lease, which no other Lease has ever had.
func newSession(group string) string {
	const characters = "bcdfghjklmnpqrstvwxz0123456789"
	suffix := make([]byte, sessionLength)
	for i := range suffix {
		suffix[i] = characters[rand.IntN(len(characters))]
	}
	return group + "-" + string(suffix)
}

// mark says which Lease of the group a member goes by, by its UID, and how often that has changed.
// A member acts only on what was read together with its last mark: so what was read later than
// the mark was written. Others give no ranges of one Lease of the group to anyone, while there
// is a mark of another one.
type mark struct {
	table types.UID
	count int
}

// String returns the text of the annotation, such as "<UID>/1"; "" for the zero value.
func (m mark) String() string {
	if m.count == 0 {
		return ""
	}
	return fmt.Sprintf("%s/%d", m.table, m.count)
}

// parseMark reads an annotation. What is none is a mark of no Lease that there is.
func parseMark(text string) mark {
	table, count, _ := strings.Cut(text, "/")
	n, _ := strconv.Atoi(count)
	return mark{types.UID(table), n}
}

// lease returns the Lease of a session of a member as it should be, without a
// resourceVersion.
func (o Options) lease(session string, mark mark, leaving bool, acquired time.Time) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name:        session,
			Labels:      map[string]string{labelGroup: o.Group},
			Annotations: map[string]string{},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       &o.Identity,
			LeaseDurationSeconds: new(int32(o.LeaseDuration / time.Second)),
			AcquireTime:          &metav1.MicroTime{Time: acquired},
			RenewTime:            &metav1.MicroTime{Time: time.Now()}, // for people
		},
	}
	if mark.count > 0 {
		lease.Annotations[annotationMark] = mark.String()
	}
	if leaving {
		lease.Annotations[annotationLeaving] = "true"
	}
	return lease
}

// renew writes a Lease over the one that was read or written last. Others may have changed
// its labels, or it was renewed by a request whose response was lost: then it reads the Lease and
// writes again. Began is when the request that succeeded was about to be sent. A Lease that is
// gone or expired is errExpired.
func renew(ctx context.Context, leases Leases, c clock, lease *coordinationv1.Lease) (renewed *coordinationv1.Lease, began instant, err error) {
	for range 3 {
		began = c.now()
		renewed, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			break
		}
		current, getErr := leases.Get(ctx, lease.Name, metav1.GetOptions{})
		if getErr != nil {
			err = getErr
			break
		}
		if isExpired(current) || current.UID != lease.UID {
			return nil, began, errExpired
		}
		lease = lease.DeepCopy()
		lease.ResourceVersion = current.ResourceVersion
	}
	if apierrors.IsNotFound(err) {
		err = errExpired
	}
	return renewed, began, err
}

// isExpired reports whether a member has marked the Lease of another one as expired.
func isExpired(lease *coordinationv1.Lease) bool {
	return lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == ""
}

// expired returns a Lease as expired.
func expired(lease *coordinationv1.Lease) *coordinationv1.Lease {
	lease = lease.DeepCopy()
	lease.Spec.HolderIdentity = nil
	return lease
}

// mapLease returns the Lease of the group with another annotation.
func (o Options) mapLease(lease *coordinationv1.Lease, owned ownership) *coordinationv1.Lease {
	if lease == nil {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: o.Group}}
	}
	lease = lease.DeepCopy()
	if lease.Labels == nil {
		lease.Labels = map[string]string{}
	}
	if lease.Annotations == nil {
		lease.Annotations = map[string]string{}
	}
	lease.Labels[labelGroup] = o.Group
	lease.Annotations[annotationOwners] = owned.encode()
	return lease
}
