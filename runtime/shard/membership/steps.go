package membership

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

var errOlder = errors.New("leases are older than what was read before; the server's history may have restarted")

// poll reads the Leases after some time.
func (l *loop) poll(after time.Duration) { l.timer(&l.pollStop, after, l.read) }

// read reads the Leases of the group.
func (l *loop) read() {
	if l.reading {
		return
	}
	l.reading = true
	l.request(func(ctx context.Context) func() {
		list, err := l.member.leases.List(ctx, metav1.ListOptions{LabelSelector: labelGroup + "=" + l.options.Group})
		return func() { l.listed(list, err) }
	})
}

func (l *loop) listed(list *coordinationv1.LeaseList, err error) {
	l.reading = false
	if err != nil {
		l.failed("list leases", err)
		l.poll(jitter(l.options.RenewInterval / 2))
		return
	}
	v, now := newView(l.options, list), l.clock.now()
	if l.view != nil && v.olderThan(*l.view) {
		l.failed("list leases", errOlder)
		if !l.leaving && l.unread() > actFor(l.options.LeaseDuration) {
			l.end(errOlder) // the next session knows nothing of what was
			return
		}
		l.poll(jitter(l.options.RenewInterval / 2))
		return
	}
	l.seen = l.seen.add(v, now, l.options.maxObserved(len(v.peers)), l.options.LeaseDuration)
	deleted := l.view != nil && l.view.table != nil && l.view.uid() != v.uid()
	if deleted {
		l.released, l.epoch = nil, 0 // of a Lease that no write can change any more
	}
	if members := v.members(); deleted || !slices.Equal(members, l.members) {
		l.members, l.membersSince = members, now
	}
	l.view = &v
	l.step()
}

// unread is how long ago the Leases were read.
func (l *loop) unread() time.Duration {
	if l.view == nil {
		return 0
	}
	return l.clock.now().sinceAtMost(l.seen.last)
}

// jitter keeps members from doing the same at the same time.
func jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(rand.Int64N(int64(d/4)+1))
}

// situation is what the loop knows.
func (l *loop) situation() situation {
	return situation{
		options:  l.options,
		session:  l.session,
		mark:     l.mark,
		leaving:  l.leaving,
		view:     *l.view,
		seen:     l.seen,
		settled:  l.unsettled() <= 0,
		released: l.released,
		epoch:    l.epoch,
	}
}

// unsettled is how long the set of members must yet stay the same before the first ranges are
// assigned. If there was another Lease of the group before, it is as long as someone may act who
// has not noticed, and whose own Lease may have been deleted too.
func (l *loop) unsettled() time.Duration {
	settle := l.options.settle()
	if before := l.member.table; before != "" && before != l.view.uid() || l.view.isSecond() {
		settle = expireAfter(l.options.LeaseDuration)
	}
	return settle - l.clock.now().sinceAtLeast(l.membersSince)
}

// step does what follows from what is known, as far as it can be done now.
func (l *loop) step() {
	if l.view == nil || l.ended || l.removing {
		return
	}
	s := l.situation()
	st := assess(s)
	if st.over {
		l.end(errExpired)
		return
	}
	if st.waiting == "" || len(st.follow) > 0 {
		l.member.shard.Set(st.follow)
	}
	l.member.act(st.act)
	if len(st.act) > 0 {
		l.member.table = l.view.uid()
	}
	working := l.member.working()
	l.report(s, st)
	if l.leaving && l.view.peer(l.session) != nil && len(l.view.owners[l.session]) == 0 {
		l.remove()
		return
	}
	if l.mark.table != l.view.uid() && l.view.err == nil && (l.mark.count == 0 || len(working) == 0) {
		l.mark = mark{l.view.uid(), l.mark.count + 1}
		l.member.table = cmp.Or(l.member.table, l.mark.table)
		l.renew()
	}
	wait := l.write(s, st, idle(st.stop, l.view.layout(), working))
	for session := range l.seen.of {
		if left := s.left(session); session != l.session && left > 0 {
			wait = min(wait, left)
		}
	}
	if left := l.unsettled(); left > 0 {
		wait = min(wait, left)
	}
	if !st.follow.Equal(st.act) {
		wait = min(wait, jitter(l.options.RenewInterval/4))
	}
	l.poll(min(wait, jitter(l.options.pollInterval(len(l.view.peers)))))
}

// idle returns the ranges without the parts in which work is running.
func idle(ranges shard.Ranges, parts []shard.Ranges, working []uint64) shard.Ranges {
	for _, hash := range working {
		if !ranges.Contains(hash) {
			continue
		}
		for _, part := range parts {
			if part.Contains(hash) {
				ranges = ranges.Minus(part)
			}
		}
	}
	return ranges
}

// duty reports whether it is up to this member to do what any one may do. The first in rank
// does it at once. Otherwise wait is for how long the others have to do it.
func (l *loop) duty(what string, rank int, due map[string]instant) (wait time.Duration) {
	now := l.clock.now()
	since, ok := l.due[what]
	if !ok {
		since = now
	}
	due[what] = since
	return l.options.standIn(rank) - now.sinceAtLeast(since)
}

// write begins the write that is most urgent, unless one is running. It returns when there may
// be another one.
func (l *loop) write(s situation, st standing, idle shard.Ranges) (wait time.Duration) {
	wait = l.options.LeaseDuration
	due := map[string]instant{}
	up := func(what string) bool {
		left := l.duty(what, st.rank, due)
		if left > 0 {
			wait = min(wait, left)
		}
		return left <= 0 && !l.writing
	}
	for _, p := range st.expire {
		if up("expire " + p.session) {
			l.expire(p)
		}
	}
	if st.create && up("create") {
		l.createTable()
	}
	if st.targets != nil {
		assign := len(st.orphans) > 0 && up("assign")
		next, changed := rewrite(s, st, idle, assign)
		if changed && !l.writing {
			l.release(idle, s.view.epoch)
			l.writeTable(next)
		}
		if parts, changed := l.newParts(st); changed && !l.writing {
			next := s.view.ownership
			next.epoch++
			next.parts = parts
			l.writeTable(next)
		}
	}
	for _, p := range st.remove {
		if up("remove " + p.session) {
			l.removePeer(p)
		}
	}
	l.due = due
	return wait
}

// release remembers what the next write hands over, and what those before did whose response
// was lost.
func (l *loop) release(ranges shard.Ranges, epoch int64) {
	if l.epoch == epoch {
		ranges = ranges.Union(l.released)
	}
	l.released, l.epoch = ranges, epoch
}

// newParts asks for the parts from time to time, and reports whether they are others.
func (l *loop) newParts(st standing) (parts []shard.Ranges, changed bool) {
	now := l.clock.now()
	if st.rank > 0 || l.leaving || l.writing || l.partsChecked != (instant{}) && now.sinceAtLeast(l.partsChecked) < l.options.LeaseDuration {
		return nil, false
	}
	l.partsChecked = now
	if l.options.Parts != nil {
		parts = l.options.Parts(l.view.layout())
		if err := checkParts(parts); err != nil {
			l.failed("parts", err)
			return nil, false
		}
	}
	return parts, !slices.EqualFunc(parts, l.view.parts, shard.Ranges.Equal)
}

// change runs a request that writes. If it succeeds, apply adds it to what was read, and the next
// step is taken at once. If another member has written before, the Leases are read again soon.
func (l *loop) change(what string, send func(ctx context.Context) (*coordinationv1.Lease, error), apply func(view, *coordinationv1.Lease) view, conflict func()) {
	l.writing = true
	base := l.view
	l.request(func(ctx context.Context) func() {
		lease, err := send(ctx)
		return func() {
			l.writing = false
			switch {
			case err == nil && l.view != base:
				l.read() // what was read meanwhile may be older than what was written
			case err == nil:
				v := apply(*base, lease)
				l.view = &v
				l.step()
			case apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err):
				conflict()
				l.poll(jitter(l.options.RenewInterval / 32))
			default:
				l.failed(what, err)
				l.poll(jitter(l.options.RenewInterval / 2))
			}
		}
	})
}

// expire marks a Lease as expired that was not renewed. Who has renewed it meanwhile makes
// that fail.
func (l *loop) expire(p peer) {
	l.logger.Info("Member has not renewed its lease, which expires", "member", p.identity, "lease", p.session)
	l.change("expire lease", func(ctx context.Context) (*coordinationv1.Lease, error) {
		return l.member.leases.Update(ctx, expired(p.lease), metav1.UpdateOptions{})
	}, func(v view, lease *coordinationv1.Lease) view {
		return v.withPeer(l.options, lease)
	}, func() { l.seen.forget(p.session) })
}

// removePeer deletes an expired Lease.
func (l *loop) removePeer(p peer) {
	l.change("delete expired lease", func(ctx context.Context) (*coordinationv1.Lease, error) {
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &p.lease.UID, ResourceVersion: &p.lease.ResourceVersion}}
		return nil, l.member.leases.Delete(ctx, p.session, options)
	}, func(v view, _ *coordinationv1.Lease) view { return v.without(p.session) }, func() {})
}

// createTable creates the Lease of the group, or labels one that has lost its label.
func (l *loop) createTable() {
	l.change("create lease of the group", func(ctx context.Context) (*coordinationv1.Lease, error) {
		lease, err := l.member.leases.Create(ctx, l.options.mapLease(nil, ownership{}), metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			return lease, err
		}
		current, err := l.member.leases.Get(ctx, l.options.Group, metav1.GetOptions{})
		if err != nil || current.Labels[labelGroup] == l.options.Group {
			return current, err
		}
		current = current.DeepCopy()
		metav1.SetMetaDataLabel(&current.ObjectMeta, labelGroup, l.options.Group)
		return l.member.leases.Update(ctx, current, metav1.UpdateOptions{})
	}, view.withTable, func() {})
}

// writeTable writes who owns what, in place of what was read.
func (l *loop) writeTable(next ownership) {
	lease := l.options.mapLease(l.view.table, next)
	l.change("write owners", func(ctx context.Context) (*coordinationv1.Lease, error) {
		return l.member.leases.Update(ctx, lease, metav1.UpdateOptions{})
	}, view.withTable, func() {})
}
