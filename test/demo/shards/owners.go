package main

import (
	"context"
	"strconv"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

const (
	// slots is the number of hashes that are looked at: one of each slot.
	slots = 64
	// sampled is the action of a line that says which slots a replica owns.
	sampled = "owns"
	// samples is the time between two.
	samples = 10 * time.Millisecond
)

// sample records from time to time which slots the replica owns. The time is taken before it is
// asked: at that time, it did.
func (r *recorder) sample(ctx context.Context, member *membership.Member) error {
	tick := time.NewTicker(samples)
	defer tick.Stop()
	for {
		at, owned := now(), uint64(0)
		for i := range slots {
			ranges, err := shard.Of(i, slots)
			if err != nil {
				return err
			}
			if member.OwnsHash(ranges[0].First) {
				owned |= 1 << i
			}
		}
		if err := r.record(at, 0, sampled, strconv.FormatUint(owned, 16)); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// owners returns the samples of each replica in their order, and the other actions.
func owners(actions []action) (byReplica map[string][]action, others []action) {
	byReplica = map[string][]action{}
	for _, a := range actions {
		if a.what == sampled {
			byReplica[a.replica] = append(byReplica[a.replica], a)
		} else {
			others = append(others, a)
		}
	}
	return byReplica, others
}

func (a action) owned() uint64 {
	owned, _ := strconv.ParseUint(a.order, 16, 64) // which the recorder wrote
	return owned
}

// shared returns how many samples of a replica own what another one owned just before and just
// after.
func shared(byReplica map[string][]action) (found int) {
	for name, mine := range byReplica {
		for other, theirs := range byReplica {
			if name == other {
				continue
			}
			at := 0
			for _, a := range mine {
				for at+1 < len(theirs) && theirs[at+1].at < a.at {
					at++
				}
				if at+1 < len(theirs) && theirs[at].at < a.at && a.owned()&theirs[at].owned()&theirs[at+1].owned() != 0 {
					found++
				}
			}
		}
	}
	return found
}
