package membership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// ErrInvalid is the error for invalid options.
var ErrInvalid = errors.New("invalid membership")

// Leases is the client of the Leases of a namespace: clientset.CoordinationV1().Leases(namespace) of
// client-go, or a client of runtime/clients. List must return the state at the time of the call or a later
// one, as an API server does if no resourceVersion is given. Update must refuse an older resourceVersion. A
// fake clientset does not, and can have one member only.
type Leases interface {
	Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions) (*coordinationv1.Lease, error)
	Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error)
}

// Slots is the number of equal ranges of the hashes. One member owns each of them. The slots of one member
// form at most 32 ranges, as many as a selector may have.
const Slots = protocol.Slots

// Options configure a Member. Only Group is required.
type Options struct {
	// Group is the name of the group of replicas. Their Leases are called group-member-… and group-slot-…;
	// no other Lease is read or written.
	Group string
	// Identity is the name of this replica in Leases, logs and statuses, such as the name of its pod. By
	// default it is the name of the host, so replicas on one host need different identities. If two members
	// have the same identity, the later one gets the other's slots. So a replica that restarts under its
	// old name gets its slots again. The earlier one, if it still lives, is not Active.
	Identity string
	// By says which value of an object is hashed. It must be the same for all members.
	By shard.By
	// LeaseDuration is about the time for which the slots of a dead replica have no owner. It must be in
	// whole seconds, and the same for all members. Zero means 15 s. A replica that can't reach the API
	// server for 9/20 of it stops its work.
	LeaseDuration time.Duration
	// DrainTimeout limits how long work may continue in a slot that must be given up, before its context
	// ends. The slot is given up when the work has returned, however long that takes. Zero means
	// LeaseDuration.
	DrainTimeout time.Duration
}

// withDefaults returns the options with defaults filled in, or an error about everything that is wrong with
// them.
func (o Options) withDefaults() (Options, error) {
	if o.Identity == "" {
		o.Identity, _ = os.Hostname()
	}
	o.LeaseDuration = cmp.Or(o.LeaseDuration, 15*time.Second)
	o.DrainTimeout = cmp.Or(o.DrainTimeout, o.LeaseDuration)
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
		}
	}
	problems := validation.IsDNS1123Label(o.Group)
	wrong(len(problems) > 0, "group %q: %s", o.Group, strings.Join(problems, "; "))
	wrong(o.Identity == "", "identity: the host has no name; set one")
	wrong(o.LeaseDuration < time.Second || o.LeaseDuration%time.Second != 0, "lease duration %v: must be whole seconds, at least one", o.LeaseDuration)
	wrong(o.DrainTimeout < 0, "drain timeout %v: must not be negative", o.DrainTimeout)
	return o, errors.Join(errs...)
}
