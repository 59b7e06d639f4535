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

// ErrInvalid is the error for options that are wrong.
var ErrInvalid = errors.New("invalid membership")

const (
	defaultLeaseDuration = 15 * time.Second
	// renewals is how many renewals there are in the duration of a Lease by default.
	renewals = 8
	// minRenewInterval keeps a mistaken option from flooding the API server.
	minRenewInterval = 100 * time.Millisecond
	// defaultParts is how many parts of equal size the hashes have by default.
	defaultParts = 256
	// maxGroup leaves room for the suffix of a Lease's name.
	maxGroup = validation.DNS1123LabelMaxLength - 1 - sessionLength
)

// Options configure a Member. Only Group is required.
type Options struct {
	// Group is the name of the group of replicas, and of the Lease that says who owns what.
	// The Leases of the members begin with it.
	Group string
	// Identity is the name of this replica in Leases, logs and statuses, such as that of its
	// pod. "" is the name of the host. If two members have the same, the later one gets what
	// the other one had: a replica that restarts under the name it had gets its ranges again.
	Identity string
	// By is what of an object is hashed. All members must have the same.
	By shard.By
	// LeaseDuration is about how long the ranges of a replica that died have no owner. It is
	// in whole seconds. Zero is 15 s. A replica that can't reach the API server for half of it
	// stops its work.
	LeaseDuration time.Duration
	// RenewInterval is how often the Lease is renewed. Zero is an eighth of LeaseDuration; it
	// may be at most a quarter, and at least 100 ms.
	RenewInterval time.Duration
	// DrainTimeout is how long work may go on in a range that is to be handed over, before its
	// context ends. The range is handed over when the work has returned, however long that
	// takes. Zero is LeaseDuration.
	DrainTimeout time.Duration
	// MinMembers is how many members must be there for ranges without an owner to get one.
	// With fewer, members keep what they have. It protects replicas that have memory for a
	// part of the objects only. Zero is 1.
	MinMembers int
	// Parts returns the sets of hashes that are moved as a whole, and of which members have
	// equally many, for example those of shard.Balance. They must not overlap, and must make up all
	// hashes; otherwise they are ignored, with an error in the status. One of the members calls
	// it every LeaseDuration, with the sets that are in force; it must not block. Nil stands for
	// 256 equal ranges.
	Parts func(current []shard.Ranges) []shard.Ranges
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
	wrong(o.RenewInterval < minRenewInterval || o.RenewInterval > o.LeaseDuration/4, "renew interval %v: must be at least %v, and at most a quarter of the lease duration %v", o.RenewInterval, minRenewInterval, o.LeaseDuration)
	wrong(o.DrainTimeout < 0, "drain timeout %v: must not be negative", o.DrainTimeout)
	return errors.Join(errs...)
}
