package membership

import "time"

// A member acts for half of the duration of its Lease, and others wait four fifths of it. If
// the clock of the member runs 20 % slow it acts for 0.5/0.8 = 0.625 durations in truth. If
// those of others run 20 % fast they wait for 0.8/1.2 = 0.667; if they run 20 % slow, for
// 0.8/0.8 = 1.

// actFor is how long a member acts after it began to renew its Lease, by its own clock.
func actFor(lease time.Duration) time.Duration { return lease / 2 }

// expireAfter is how long others wait after they have seen the Lease change, by theirs.
func expireAfter(lease time.Duration) time.Duration { return lease * 4 / 5 }

// pollInterval is how often a group of n members is read by each. In a large group some
// member sees a change soon, though each one reads seldom: all of them read it about
// as often as ten members do.
func (o Options) pollInterval(n int) time.Duration {
	return o.RenewInterval / 2 * time.Duration(max(n, 10)) / 10
}

// maxObserved is how much of the time between two reads counts as observed. Who could not
// read for longer, because the API server did not answer or the process was stopped, does not
// know whether the others could renew.
func (o Options) maxObserved(n int) time.Duration { return 2 * o.pollInterval(n) }

// suspectAfter is after which time without a change a Lease gets no more ranges.
func (o Options) suspectAfter(n int) time.Duration {
	return 2*o.RenewInterval + o.pollInterval(n)
}

// standIn is how long the member of a rank waits for those before it to do what one of them
// has to do.
func (o Options) standIn(rank int) time.Duration {
	return time.Duration(min(rank, 3)) * o.RenewInterval / 16
}

// settle is how long the set of members must have been the same before the first ranges are
// assigned, so that replicas that start together do not move them several times.
func (o Options) settle() time.Duration { return 2 * o.RenewInterval }
