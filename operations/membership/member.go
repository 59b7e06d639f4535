package membership

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Member is a replica in a group. Its methods are safe for concurrent use.
type Member struct {
	leases  Leases
	options Options
	group   protocol.Group
	clock   clock
	shard   *shard.Shard
	session string
	started atomic.Bool
	telling sync.WaitGroup // for the calls of listeners
	// look has a value when there may be something to decide.
	look chan struct{}

	mu sync.Mutex
	// until is when this member may not act any more if it has not listed and renewed its life again,
	// 0 if it may not act.
	until     time.Duration
	stopTimer func() bool
	// acting are the ranges that it may begin work on, and held those and what it has to give up.
	acting, held shard.Ranges
	works        map[*work]struct{}
	listeners    []func(shard.Ranges)
	view         protocol.View
	seen         protocol.Sightings
	holds        map[int]*protocol.Hold // by slot
	decision     protocol.Decision
	// leaving is since when it leaves, wary until when it mistrusts what was given up, and barred until
	// when it has no share, since it was refused to write a slot.
	leaving, wary, barred time.Duration
	// keeping reports whether it leaves and others do not know that yet, so that it keeps what it has.
	keeping bool
	status  Status
}

// New returns a member that is yet to be run. The client is for the namespace that the group has
// its Leases in, which need not be that of the objects. With client-go's default of five requests
// a second, slots that one member takes at once take some seconds longer; rest.Config.QPS of -1 is
// no limit. Possible errors: ErrInvalid.
func New(leases Leases, options Options) (*Member, error) {
	return newMember(leases, options, newSystemClock())
}

func newMember(leases Leases, options Options, clock clock) (*Member, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Member{
		leases:  leases,
		options: options,
		group:   protocol.Group{Name: options.Group, LeaseDuration: options.LeaseDuration, RenewInterval: options.RenewInterval},
		clock:   clock,
		shard:   shard.New(options.By, nil),
		session: protocol.NewSession(options.Identity),
		look:    make(chan struct{}, 1),
		works:   map[*work]struct{}{},
		holds:   map[int]*protocol.Hold{},
		status:  Status{Group: options.Group, Identity: options.Identity, LeaseDuration: options.LeaseDuration, Phase: Stopped, Waiting: "the Leases of the group could not be listed yet"},
	}, nil
}

// Shard returns the objects that informers of this replica have to follow: those that it owns
// and those that it will own when others have given them up. It has no ranges before Run.
func (m *Member) Shard() *shard.Shard { return m.shard }

// By returns what is hashed.
func (m *Member) By() shard.By { return m.shard.By() }

// Owns reports whether this replica may act on an object now.
func (m *Member) Owns(obj metav1.Object) bool { return m.OwnsHash(m.By().Hash(obj)) }

// OwnsHash reports whether this replica may act on objects with a hash now.
func (m *Member) OwnsHash(hash uint64) (owns bool) {
	m.locked(func() { owns = m.ownsLocked(hash) })
	return owns
}

func (m *Member) ownsLocked(hash uint64) bool {
	m.checkLocked()
	return m.acting.Contains(hash)
}

// Run makes this replica a member, until ctx ends: it then gives its slots up, each when no work in
// it is running, deletes its life and returns. Whatever goes wrong meanwhile is in the log and the
// Status, and is tried again.
//
// Possible errors: ErrStarted, since a member runs once; and that slots could not be given up,
// since work in them did not end or the API server did not answer for DrainTimeout and half of
// LeaseDuration.
func (m *Member) Run(ctx context.Context) error {
	err := ErrStarted
	if !m.started.Swap(true) {
		ctx = klog.NewContext(ctx, klog.LoggerWithValues(klog.FromContext(ctx), "group", m.group.Name, "identity", m.options.Identity))
		err = m.run(ctx, context.WithoutCancel(ctx))
	}
	if err != nil {
		return fmt.Errorf("member %q of %q: %w", m.options.Identity, m.group.Name, err)
	}
	return nil
}

// run lists the Leases of the group and does what follows, again and again, until ctx has ended and
// this member has left.
func (m *Member) run(ctx, requests context.Context) error {
	m.locked(func() { m.status.Phase = Joining })
	defer m.end(requests)
	for {
		began := m.clock.now()
		if ctx.Err() != nil && m.leaving == 0 {
			m.locked(func() { m.leaving, ctx = began, requests })
		}
		wait := m.step(requests, began)
		if left, err := m.hasLeft(); left {
			return err
		}
		m.sleep(ctx, wait-(m.clock.now()-began), m.look)
		m.sleep(ctx, m.group.RenewInterval/16-(m.clock.now()-began), nil)
	}
}

// end deletes the life, which the loop has written or listed last.
func (m *Member) end(ctx context.Context) {
	m.locked(func() {
		m.stopActingLocked()
		m.status.Phase = Stopped
	})
	if life := m.view.Lives[m.session]; life != nil {
		_ = m.request(ctx, "delete life", func(ctx context.Context) error { return m.drop(ctx, life) })
	}
	m.telling.Wait()
}

// step lists the Leases, renews the life and writes what follows. It returns how long after it
// began the next one is due.
func (m *Member) step(ctx context.Context, began time.Duration) time.Duration {
	var list *coordinationv1.LeaseList
	err := m.request(ctx, "list leases", func(ctx context.Context) (err error) {
		list, err = m.leases.List(ctx, metav1.ListOptions{LabelSelector: protocol.Label + "=" + m.group.Name})
		return err
	})
	var d protocol.Decision
	if err == nil {
		d = m.listed(klog.FromContext(ctx), list, began)
		err = m.renew(ctx)
	}
	if err != nil {
		return m.clock.now() - began + m.group.RenewInterval/4
	}
	m.extend(began)
	m.write(ctx, d, m.clock.now()+m.group.RenewInterval)
	wait := m.group.RenewInterval - rand.N(m.group.RenewInterval/8+1)
	if d.Awaits || m.leaving > 0 || len(d.Take)+len(d.Free)+len(d.Drop) > 0 {
		wait /= 4
	}
	if d.Due > 0 {
		wait = min(wait, d.Due-began)
	}
	return wait
}

// listed decides what follows from a list.
func (m *Member) listed(logger klog.Logger, list *coordinationv1.LeaseList, began time.Duration) protocol.Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	v, now := m.group.View(list), m.clock.now()
	if v.Version < m.view.Version {
		logger.Info("Versions of the Leases have gone backwards, as after a restore of a backup; nothing is acted on for a while", "before", m.view.Version, "now", v.Version)
		m.stopActingLocked()
		m.holds, m.seen, m.wary = map[int]*protocol.Hold{}, protocol.Sightings{}, now+m.group.DeadAfter()
	}
	m.seen, m.view = m.seen.Add(v, began, now, m.group.RenewInterval*5/4), v
	for slot, h := range m.holds {
		if owner := protocol.Holder(v.Slots[slot]); owner != m.session || !h.Made(v.Slots[slot]) {
			if delete(m.holds, slot); h.Acquired() {
				m.status.Lost++
				logger.Info("Slot is lost: its Lease was deleted or has another owner", "slot", m.group.SlotName(slot), "owner", owner)
			}
		}
	}
	others := slices.ContainsFunc(m.decision.Members, func(session string) bool { return session != m.session })
	m.keeping = m.leaving > 0 && others && now < m.leaving+m.group.RenewInterval*5/4
	m.decision = protocol.Decide(protocol.Situation{
		Group: m.group, Session: m.session, Began: began, View: v, Seen: m.seen, Holds: m.holds,
		Leaving: m.leaving > 0, Keeping: m.keeping, Wary: now < m.wary, Busy: m.busyLocked,
	})
	m.settleLocked()
	for dead := range m.decision.Dead {
		logger.Info("Member was not seen to live, its slots are taken", "member", dead)
	}
	return m.decision
}

// settleLocked finds out what this member may act on, of the slots that it holds, and says so.
func (m *Member) settleLocked() {
	now := m.clock.now()
	var acting, held, follow []shard.Range
	for slot, target := range m.decision.Targets {
		h, should := m.holds[slot], target == m.session && m.leaving == 0
		if h != nil || should {
			follow = append(follow, protocol.RangeOf(slot))
		}
		if m.until == 0 || !h.Made(m.view.Slots[slot]) || !h.Acts(now) {
			continue
		}
		held = append(held, protocol.RangeOf(slot))
		if should || m.keeping {
			acting = append(acting, protocol.RangeOf(slot))
		}
	}
	m.setActingLocked(protocol.Union(acting), protocol.Union(held))
	m.shard.Set(protocol.Union(follow))
	m.reportLocked()
}

func (m *Member) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// checkLocked stops this member if its time is over. Whoever asks first finds it.
func (m *Member) checkLocked() {
	if m.until > 0 && m.clock.now() >= m.until {
		m.stopActingLocked()
	}
}

// stopActingLocked takes everything from this member until it was written again: if others have
// taken it meanwhile, that fails.
func (m *Member) stopActingLocked() {
	m.until = 0
	for slot, h := range m.holds {
		again := *h // a write that is under way does not count
		again.Suspend()
		m.holds[slot] = &again
	}
	m.setActingLocked(nil, nil)
}

// extend lets this member act for longer, after it has listed the Leases and renewed its life.
func (m *Member) extend(began time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked() // before this, which others may have found
	until := began + m.group.ActFor()
	left := until - m.clock.now()
	if left <= 0 {
		return
	}
	if m.stopTimer != nil {
		m.stopTimer()
	}
	m.until, m.stopTimer = until, m.clock.after(left, func() { m.locked(m.checkLocked) })
}

// hasLeft reports whether this member has left: it has nothing left to give up, or that takes too
// long. What it has not acted on yet, others take when they see no life of it.
func (m *Member) hasLeft() (left bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leaving > 0 && m.clock.now()-m.leaving > m.options.DrainTimeout+m.group.LeaseDuration/2 {
		return true, errNotGivenUp
	}
	left = m.leaving > 0 && !m.keeping
	for _, h := range m.holds {
		left = left && !h.Acquired()
	}
	return left, nil
}

// sleep waits for some time, or until ctx ends or there is a value.
func (m *Member) sleep(ctx context.Context, d time.Duration, or <-chan struct{}) {
	over := make(chan struct{})
	defer m.clock.after(max(d, 0), func() { close(over) })()
	select {
	case <-over:
	case <-or:
	case <-ctx.Done():
	}
}
