package membership

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// session is a member from when it joins until it leaves. The mutex of the member guards it.
type session struct {
	name     string
	life     *coordinationv1.Lease // as it was written last, nil if there is none
	view     view
	seen     sightings
	holds    map[place]*hold
	decision decision
	// leaving is since when the member leaves, and wary until when it mistrusts what was given up.
	leaving, wary time.Duration
	// keeping reports whether it leaves and others do not know that yet, so that it keeps what it has.
	keeping bool
}

// join makes this process a member until ctx ends, and for as long as it may write slots.
func (m *Member) join(ctx context.Context) error {
	m.mu.Lock()
	m.session = session{name: newSession(m.options.Identity), holds: map[place]*hold{}}
	m.term.renewed, m.term.listed = 0, 0
	m.status.Phase, m.status.Lease = Joining, lifeName(m.options.Group, m.session.name)
	m.status.Waiting = "the Leases of the group could not be listed yet"
	m.mu.Unlock()
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var living sync.WaitGroup
	living.Go(func() { m.live(requests) })
	err := m.own(ctx, requests)
	cancel()
	living.Wait()
	m.mu.Lock()
	m.endTermLocked()
	life := m.session.life
	m.mu.Unlock()
	if life != nil {
		_ = m.request(context.WithoutCancel(ctx), "delete life", func(ctx context.Context) error {
			return m.leases.Delete(ctx, life.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &life.UID}})
		})
	}
	return err
}

// request sends a request with a timeout, and records its error. Conflicts are none: another
// member was first, and what it wrote is in the next list.
func (m *Member) request(ctx context.Context, what string, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, m.options.LeaseDuration/6)
	defer cancel()
	err := send(ctx)
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		klog.FromContext(ctx).V(2).Info("Request failed", "request", what, "err", err)
		m.report(func(s *Status) { s.fail(what, err) })
	}
	return err
}

// live renews the life until ctx ends.
func (m *Member) live(ctx context.Context) {
	for ctx.Err() == nil {
		began, wait := m.clock.now(), m.options.RenewInterval
		if err := m.renew(ctx); err != nil {
			wait /= 2
		}
		m.sleep(ctx, wait-(m.clock.now()-began), m.beat)
	}
}

// renew creates or renews the life. A member that can't list does neither: it could not own
// anything, and would keep others from it.
func (m *Member) renew(ctx context.Context) error {
	for range 4 {
		m.mu.Lock()
		session, life, state, began := m.session.name, m.session.life, stateJoined, m.clock.now()
		blind := m.term.listed == 0 || began-m.term.listed >= actFor(m.options.LeaseDuration)
		if m.session.leaving > 0 {
			state = stateLeaving
		}
		m.mu.Unlock()
		if blind {
			return nil
		}
		err := m.request(ctx, "renew life", func(ctx context.Context) (err error) {
			if life == nil {
				state = stateJoining // until the renewal that follows: it shows that this member may update
				life, err = m.leases.Create(ctx, m.options.lifeLease(nil, session, state), metav1.CreateOptions{})
			} else {
				life, err = m.leases.Update(ctx, m.options.lifeLease(life, session, state), metav1.UpdateOptions{})
			}
			return err
		})
		switch {
		case apierrors.IsNotFound(err):
			m.loseLife(nil)
		case apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err):
			if err := m.readLife(ctx, session); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			m.mu.Lock()
			m.session.life, m.status.Renewed = life, time.Now()
			m.extendLocked(&m.term.renewed, began)
			m.mu.Unlock()
			if state != stateJoining {
				return nil
			}
		}
	}
	return nil
}

// readLife reads the life when it is not as it was written last: a response was lost, or someone
// has changed or deleted it.
func (m *Member) readLife(ctx context.Context, session string) error {
	var life *coordinationv1.Lease
	err := m.request(ctx, "read life", func(ctx context.Context) (err error) {
		life, err = m.leases.Get(ctx, lifeName(m.options.Group, session), metav1.GetOptions{})
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		m.loseLife(nil)
		return nil
	case err != nil:
		return err
	}
	m.mu.Lock()
	same := m.session.life != nil && m.session.life.UID == life.UID
	if same {
		m.session.life = life
	}
	m.mu.Unlock()
	if !same {
		m.loseLife(life)
	}
	return nil
}

// loseLife goes on with another life, or with none. Others may not have seen one for a while.
func (m *Member) loseLife(life *coordinationv1.Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.endTermLocked()
	m.session.life, m.term.renewed = life, 0
}

// own lists the Leases of the group and does what follows, again and again, until this member has
// left or may not write slots.
func (m *Member) own(ctx, requests context.Context) error {
	waiting := ctx
	for {
		if ctx.Err() != nil && waiting == ctx {
			waiting = requests
			m.leave()
		}
		began := m.clock.now()
		wait, err := m.step(requests)
		if err != nil {
			return err
		}
		switch left, late := m.hasLeft(); {
		case left:
			return nil
		case late:
			return errNotGivenUp
		}
		m.sleep(waiting, wait-(m.clock.now()-began), m.look)
		m.sleep(waiting, m.options.RenewInterval/16-(m.clock.now()-began), nil)
	}
}

// leave tells others that this member will give everything up.
func (m *Member) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session.leaving, m.status.Phase = m.clock.now(), Leaving
	signal(m.beat)
}

// hasLeft reports whether there is nothing left to give up, and whether that takes too long. What
// it has not acted on yet, others take when they see no life of it.
func (m *Member) hasLeft() (left, late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.session.leaving == 0 {
		return false, false
	}
	left = !m.session.keeping
	for _, h := range m.session.holds {
		left = left && h.ripe == 0
	}
	return left, m.clock.now()-m.session.leaving > m.options.DrainTimeout+m.options.LeaseDuration/2
}

// step lists the Leases and writes what follows. It returns when to do so again.
func (m *Member) step(ctx context.Context) (wait time.Duration, err error) {
	began := m.clock.now()
	var list *coordinationv1.LeaseList
	err = m.request(ctx, "list leases", func(ctx context.Context) (err error) {
		list, err = m.leases.List(ctx, metav1.ListOptions{LabelSelector: labelGroup + "=" + m.options.Group})
		return err
	})
	if err != nil {
		return m.options.RenewInterval / 2, nil //nolint:nilerr // which is in the status
	}
	d := m.listed(klog.FromContext(ctx), list, began)
	if err := m.write(ctx, d, m.clock.now()+m.options.RenewInterval); err != nil {
		return 0, err
	}
	wait = m.options.RenewInterval - rand.N(m.options.RenewInterval/8+1)
	if d.awaits || m.session.leaving > 0 || len(d.take)+len(d.give)+len(d.drop) > 0 {
		wait /= 4
	}
	if d.due > 0 {
		wait = min(wait, d.due-began)
	}
	return wait, nil
}

// listed decides what follows from a list.
func (m *Member) listed(logger klog.Logger, list *coordinationv1.LeaseList, began time.Duration) decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, v, now := &m.session, newView(m.options.Group, list), m.clock.now()
	if v.version < s.view.version {
		logger.Info("Versions of the Leases have gone backwards, as after a restore of a backup; nothing is acted on for a while", "before", s.view.version, "now", v.version)
		m.endTermLocked()
		s.holds, s.seen, s.wary = map[place]*hold{}, sightings{}, now+deadAfter(m.options.LeaseDuration)
	}
	s.seen, s.view = s.seen.add(v, began, now, m.options.RenewInterval*5/4), v
	m.extendLocked(&m.term.listed, began)
	if m.term.over {
		signal(m.beat)
	}
	for p, h := range s.holds {
		if holder(v.slots[p]) != s.name || !h.made(v.slots[p]) {
			if delete(s.holds, p); h.ripe > 0 {
				m.status.Lost++
				logger.Info("Slot is lost: its Lease was deleted or has another owner", "slot", p.name(m.options.Group), "owner", holder(v.slots[p]))
			}
		}
	}
	others := len(s.decision.members) > 0 && (len(s.decision.members) > 1 || s.decision.members[0] != s.name)
	s.keeping = s.leaving > 0 && others && now < s.leaving+m.options.RenewInterval*5/4
	s.decision = decide(situation{
		options: m.options, session: s.name, began: began, view: v, seen: s.seen, holds: s.holds, term: m.term.number,
		leaving: s.leaving > 0, keeping: s.keeping, wary: now < s.wary, busy: m.busyLocked,
	})
	m.settleLocked()
	m.reportLocked()
	for dead := range s.decision.dead {
		logger.Info("Member was not seen to live, its slots are taken", "member", dead)
	}
	return s.decision
}

// settleLocked finds out what this member may act on: the slots that it holds, without those of
// others that overlap, since they are of another number of slots.
func (m *Member) settleLocked() {
	s, now := &m.session, m.clock.now()
	var acting, held, others, follow []shard.Range
	for p, lease := range s.view.slots {
		h, should := s.holds[p], s.decision.target(p) == s.name || s.keeping
		switch {
		case !h.made(lease) || h.term != m.term.number || m.term.over || !h.isRipe(now):
			others = append(others, p.slot())
		case should:
			acting = append(acting, p.slot())
			fallthrough
		default:
			held = append(held, p.slot())
		}
	}
	for p := range s.holds {
		follow = append(follow, p.slot())
	}
	for i := range s.decision.targets {
		if p := (place{s.decision.count, i}); s.decision.target(p) == s.name {
			follow = append(follow, p.slot())
		}
	}
	m.setActingLocked(union(acting).Minus(union(others)), union(held).Minus(union(others)))
	m.shard.Set(union(follow))
}

func union(ranges []shard.Range) shard.Ranges {
	all, _ := shard.RangesOf(ranges...) // of valid ones
	return all
}
