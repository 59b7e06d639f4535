package membership

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

const (
	defaultLeaseDuration = 15 * time.Second
	// renewals is the default number of renewals in the duration of a Lease.
	renewals = 8
	// minRenewInterval keeps a mistaken option from flooding the API server.
	minRenewInterval = 100 * time.Millisecond
	// defaultSlots is the default number of slots of a new group, maxSlots the greatest.
	defaultSlots, maxSlots = 64, 1024
	// maxGroup leaves room for the rest of a Lease's name.
	maxGroup = 52
)

// Options configure a Member. Only Group is required.
type Options struct {
	// Group is the name of the group of replicas. Their Leases are called group-member-… and
	// group-slot-…; no other Lease is read or written.
	Group string
	// Identity is the name of this replica in Leases, logs and statuses, such as that of its
	// pod. "" is the name of the host. If two members have the same, the later one gets what
	// the other one had: a replica that restarts under the name it had gets its slots again.
	Identity string
	// By names what of an object is hashed. All members must have the same.
	By shard.By
	// LeaseDuration is about how long the slots of a replica that died have no owner. It is in
	// whole seconds, the same for all members. Zero is 15 s. A replica that can't reach the API
	// server for 9/20 of it stops its work.
	LeaseDuration time.Duration
	// RenewInterval is the time between renewals of a member's life, and between its lists of the Leases of
	// the group. Zero is an eighth of LeaseDuration; it may be at most a fifth, and at least 100 ms.
	RenewInterval time.Duration
	// DrainTimeout limits how long work may go on in a slot that is to be given up, before its context
	// ends. The slot is given up when the work has returned, however long that takes. Zero is
	// LeaseDuration.
	DrainTimeout time.Duration
	// MinMembers is the number of members that must be there for slots without an owner to get one. With
	// fewer, members keep what they have. It protects replicas that have memory for a part of the
	// objects only. Zero is 1.
	MinMembers int
	// Slots is the number of equal ranges of the hashes, each of which one member owns. It is
	// for a new group: members go by the slots that there are. Zero is 64; there may be 1,024. With
	// up to 64, what a member owns is at most 32 ranges, as many as a selector may have.
	Slots int
}

// withDefaults returns the options with what is missing, or what is wrong with them.
func (o Options) withDefaults() (Options, error) {
	if o.Identity == "" {
		o.Identity, _ = os.Hostname()
	}
	o.LeaseDuration = orDuration(o.LeaseDuration, defaultLeaseDuration)
	o.RenewInterval = orDuration(o.RenewInterval, o.LeaseDuration/renewals)
	o.DrainTimeout = orDuration(o.DrainTimeout, o.LeaseDuration)
	o.MinMembers = max(o.MinMembers, 1)
	if o.Slots == 0 {
		o.Slots = defaultSlots
	}
	return o, o.validate()
}

func orDuration(d, zero time.Duration) time.Duration {
	if d == 0 {
		return zero
	}
	return d
}

// validate returns everything that is wrong.
func (o Options) validate() error {
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
		}
	}
	if problems := validation.IsDNS1123Label(o.Group); len(problems) > 0 || len(o.Group) > maxGroup {
		wrong(true, "group %q: must have up to %d lower case letters, digits and '-': %s", o.Group, maxGroup, strings.Join(problems, "; "))
	}
	wrong(o.Identity == "", "identity: the host has no name; set one")
	wrong(o.LeaseDuration < time.Second || o.LeaseDuration%time.Second != 0, "lease duration %v: must be whole seconds, at least one", o.LeaseDuration)
	wrong(o.RenewInterval < minRenewInterval || o.RenewInterval > o.LeaseDuration/5, "renew interval %v: must be at least %v, and at most a fifth of the lease duration %v", o.RenewInterval, minRenewInterval, o.LeaseDuration)
	wrong(o.Slots < 1 || o.Slots > maxSlots, "slots %d: must be 1 to %d", o.Slots, maxSlots)
	wrong(o.DrainTimeout < 0, "drain timeout %v: must not be negative", o.DrainTimeout)
	return errors.Join(errs...)
}
