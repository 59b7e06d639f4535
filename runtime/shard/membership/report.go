package membership

import "github.com/informer-gen/informer-gen/runtime/shard"

func newRangesStatus(ranges shard.Ranges) RangesStatus {
	return RangesStatus{Ranges: ranges.String(), Fraction: ranges.Fraction()}
}

// report makes the status that of a step.
func (l *loop) report(s situation, st standing) {
	members := make([]MemberStatus, len(s.view.peers))
	for i, p := range s.view.peers {
		members[i] = MemberStatus{
			Identity:  p.identity,
			Lease:     p.session,
			Owned:     s.view.owners[p.session].Fraction(),
			Target:    st.targets[p.session].Fraction(),
			Unchanged: s.seen.waited(p.session),
			Leaving:   p.leaving,
			Expired:   p.expired,
		}
	}
	unowned := s.view.unowned(func(string) bool { return true })
	l.member.report(func(status *Status) {
		switch {
		case l.leaving:
			status.Phase = Leaving
		case st.waiting == "":
			status.Phase = Active
		}
		status.Waiting = st.waiting
		status.Owned = newRangesStatus(st.act)
		status.Gaining = newRangesStatus(st.follow.Minus(st.act).Minus(st.stop))
		status.Losing = newRangesStatus(st.stop)
		status.Unowned = unowned.Fraction()
		status.Epoch = s.view.epoch
		status.Members = members
	})
}
