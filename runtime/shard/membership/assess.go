package membership

import (
	"slices"
	"time"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// situation is what a member knows.
type situation struct {
	options Options
	session string
	// mark is the last one of this member, which may not have been written yet.
	mark mark
	// leaving is whether this member hands over all that it has.
	leaving bool
	view    view
	seen    observations
	// settled is whether the set of members has been the same for a while.
	settled bool
	// released is what this member has tried to hand over by a write that replaces the
	// ownership of the epoch. Whether the write succeeds is not known until there is a later one.
	released shard.Ranges
	epoch    int64
}

// standing is what follows from a situation.
type standing struct {
	// over is whether this session has ended: others hold its Lease for expired.
	over bool
	// waiting is why there is nothing to act on, "" if there may be.
	waiting string
	// act is what this member may work on, as long as its Lease is young enough.
	act shard.Ranges
	// stop is what it has to hand over when no work in it is running.
	stop shard.Ranges
	// follow is what its informers need: what it owns and what it will own.
	follow shard.Ranges
	// targets is what each member should own.
	targets map[string]shard.Ranges
	// orphans are ranges without an owner that is alive, which may be assigned.
	orphans shard.Ranges
	// expire are members that have not renewed for too long. Remove are expired Leases that
	// nothing refers to.
	expire, remove []peer
	// create is whether there should be a Lease of the group.
	create bool
	// rank is the place of this member among those that seem to be alive.
	rank int
}

// assess decides what a member may do and has to do. It is a function of its argument only.
func assess(s situation) standing {
	own := s.view.peer(s.session)
	if own == nil {
		return standing{waiting: "own Lease has not been read yet"}
	}
	if own.expired {
		return standing{over: true}
	}
	st := standing{rank: s.rank()}
	for _, p := range s.view.peers {
		if !p.expired && p.session != s.session && s.left(p.session) <= 0 {
			st.expire = append(st.expire, p)
		}
		if _, owns := s.view.owners[p.session]; p.expired && !owns && s.view.err == nil && s.view.table != nil {
			st.remove = append(st.remove, p)
		}
	}
	switch {
	case s.view.table == nil:
		st.create = !s.leaving
		st.waiting = "no Lease of the group yet"
		return st
	case s.view.err != nil:
		st.waiting = s.view.err.Error()
		return st
	}
	st.targets = s.targets()
	st.orphans = s.orphans()
	mine, keep := s.view.owners[s.session], st.targets[s.session]
	st.follow = mine.Union(keep)
	safe := mine.Intersect(keep)
	if s.view.epoch <= s.epoch {
		safe = safe.Minus(s.released)
	}
	st.stop = mine.Minus(safe)
	if own.mark != s.mark || own.mark.table != s.view.uid() {
		st.waiting = "own Lease does not name the Lease of the group yet"
		return st
	}
	st.act = safe
	return st
}

// rank is the place of this member among those that are alive, as far as it knows.
func (s situation) rank() int {
	rank := 0
	for _, p := range s.view.peers {
		if p.session < s.session && !p.expired && !s.suspect(p.session) {
			rank++
		}
	}
	return rank
}

// left is how long to wait yet until the Lease of a session is expired.
func (s situation) left(session string) time.Duration {
	return s.seen.left(session, s.options.LeaseDuration)
}

// suspect reports whether a member may have died.
func (s situation) suspect(session string) bool {
	return session != s.session && s.seen.waited(session) >= s.options.suspectAfter(len(s.view.peers))
}

// targets is what each member should own.
func (s situation) targets() map[string]shard.Ranges {
	candidates := s.view.candidates()
	if len(candidates) >= s.options.MinMembers {
		return plan(s.view.layout(), s.view.owners, candidates)
	}
	kept := map[string]shard.Ranges{}
	for _, c := range candidates {
		kept[c.session] = s.view.owners[c.session]
	}
	return kept
}

// orphans returns the ranges that may be given to a member: no member that is alive owns them,
// and none goes by a Lease of the group that was deleted.
func (s situation) orphans() shard.Ranges {
	deleted := func(p peer) bool { return !p.expired && p.mark.table != "" && p.mark.table != s.view.uid() }
	if slices.ContainsFunc(s.view.peers, deleted) || len(s.view.owners) == 0 && !s.settled {
		return nil
	}
	return s.view.unowned(func(session string) bool {
		if p := s.view.peer(session); p != nil {
			return !p.expired
		}
		return s.left(session) > 0 // its Lease was deleted, and it may not know
	})
}

// rewrite returns the ownership that follows when ranges of this member in which no work is
// running, and the orphans if assign is set, go to whom they should. Members that may have died
// get nothing. It returns false if nothing changes.
func rewrite(s situation, st standing, idle shard.Ranges, assign bool) (ownership, bool) {
	free := idle
	if assign {
		free = free.Union(st.orphans)
	}
	gains, given := map[string]shard.Ranges{}, shard.Ranges(nil)
	for session, target := range st.targets {
		if gain := free.Intersect(target); len(gain) > 0 && !s.suspect(session) {
			gains[session] = gain
			given = given.Union(gain)
		}
	}
	if s.leaving {
		given = given.Union(idle) // to nobody, if nobody is there
	}
	next := s.view.next()
	for session, ranges := range s.view.owners {
		if rest := ranges.Minus(given); len(rest) > 0 {
			next.owners[session] = rest
		}
	}
	for session, gain := range gains {
		next.owners[session] = next.owners[session].Union(gain)
	}
	return next, len(given) > 0
}
