package membership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// ErrStarted is the error of a second Run.
var ErrStarted = errors.New("member was started before")

var errNotGivenUp = errors.New("slots were not given up in time; others take them when they see no life of this member")

// Member is a replica in a group. Its methods are safe for concurrent use.
type Member struct {
	leases    Leases
	options   Options
	clock     clock
	shard     *shard.Shard
	started   atomic.Bool
	notifying sync.WaitGroup // for the calls of listeners
	wake      chan struct{}  // has an element when there may be something to decide

	mu sync.Mutex
	// until is when this member must stop to act unless it has listed and renewed its life again. It is 0
	// while the member may not act. untilWall is the same moment by the time of day, which shows that the
	// machine was suspended.
	until     time.Duration
	untilWall time.Time
	acting    protocol.Set // the slots in which work may begin
	works     map[*work]struct{}
	listeners []func(shard.Ranges)
	known     protocol.Situation
	decision  protocol.Decision
	listed    time.Duration // when the last successful list began
	barred    time.Duration // until when it has no share, since a write of a slot was refused
	outage    outage
	status    Status // without the fields that Status computes
}

// New returns a member, which Run runs. The client is for the namespace of the group's Leases, which need
// not be the objects' namespace. With client-go's default of five requests a second, it takes some seconds
// longer to take many slots at once. A rest.Config.QPS of -1 is no limit. Possible errors: ErrInvalid.
func New(leases Leases, options Options) (*Member, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Member{
		leases:  leases,
		options: options,
		clock:   systemClock(time.Now()),
		shard:   shard.New(options.By, nil),
		wake:    make(chan struct{}, 1),
		works:   map[*work]struct{}{},
		known: protocol.Situation{
			Group:   protocol.Group{Name: options.Group, LeaseDuration: options.LeaseDuration},
			Session: protocol.NewSession(options.Identity),
		},
		status: Status{Group: options.Group, Identity: options.Identity, Phase: Stopped},
	}, nil
}

// Shard returns the shard that this replica's informers must follow: the slots that it owns, and the slots
// that it will own once other members have given them up. It has no ranges before Run.
func (m *Member) Shard() *shard.Shard { return m.shard }

// Run makes this replica a member until ctx ends. Then it gives up its slots, each when no work in it is
// running, deletes its life and returns. Errors in between are logged, shown in the Status, and the
// requests are tried again.
//
// Possible errors: ErrStarted, since a member runs once; and that slots could not be given up. That happens
// if their work did not end, or the API server did not answer, for DrainTimeout and half of LeaseDuration.
func (m *Member) Run(ctx context.Context) error {
	err := ErrStarted
	if !m.started.Swap(true) {
		ctx = klog.NewContext(ctx, klog.LoggerWithValues(klog.FromContext(ctx), "group", m.options.Group, "identity", m.options.Identity))
		err = m.run(ctx, context.WithoutCancel(ctx))
	}
	if err != nil {
		return fmt.Errorf("member %q of %q: %w", m.options.Identity, m.options.Group, err)
	}
	return nil
}

// run repeats the steps of a member until ctx has ended and the member has nothing left to give up, or
// giving up takes too long. Then it deletes its life.
func (m *Member) run(ctx, requests context.Context) (err error) {
	m.locked(func() { m.status.Phase = Joining })
	k := &m.known
	for next := m.clock.now(); err == nil && (k.Leaving == 0 || m.decision.Keep || k.Acquired != 0); {
		m.sleep(ctx, next, m.wake)
		began := m.clock.now()
		if ctx.Err() != nil && k.Leaving == 0 {
			m.locked(func() { k.Leaving, ctx = began, requests })
		}
		next = m.step(requests, began)
		m.reportStep(requests)
		if k.Leaving > 0 && m.clock.now()-k.Leaving > m.options.DrainTimeout+m.options.LeaseDuration/2 {
			err = errNotGivenUp
		}
		m.sleep(ctx, began+k.RenewInterval()/16, nil)
	}
	m.locked(func() {
		m.status.Phase = Stopped
		m.stopLocked()
	})
	if life := k.Lives[k.Session]; life != nil {
		_ = m.deleteLife(requests, life)
	}
	m.notifying.Wait()
	return err
}

// sleep waits until the given time, or until ctx ends or or has a value.
func (m *Member) sleep(ctx context.Context, until time.Duration, or <-chan struct{}) {
	over := make(chan struct{})
	defer m.clock.after(max(until-m.clock.now(), 0), func() { close(over) })()
	select {
	case <-over:
	case <-or:
	case <-ctx.Done():
	}
}

// step lists the Leases, renews the life and writes what was decided. It returns when the next step is due.
func (m *Member) step(ctx context.Context, began time.Duration) (next time.Duration) {
	var list *coordinationv1.LeaseList
	err := m.request(ctx, verbList, func(ctx context.Context) (err error) {
		list, err = m.leases.List(ctx, metav1.ListOptions{LabelSelector: protocol.Label + "=" + m.options.Group})
		return err
	})
	interval := m.known.RenewInterval()
	if err == nil {
		m.decide(klog.FromContext(ctx), list, began)
		err = m.renew(ctx)
	}
	if err != nil {
		m.locked(m.updateActingLocked) // it may no longer know which slots have owners
		return m.clock.now() + interval/4
	}
	m.extend(began)
	m.write(ctx)
	return min(m.decision.Due, began+interval-rand.N(interval/8+1))
}

// decide makes a decision from a list, and updates in which slots work may begin and continue.
func (m *Member) decide(logger klog.Logger, list *coordinationv1.LeaseList, began time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	k, now := &m.known, m.clock.now()
	before := k.Version
	if k.View = k.Group.View(k.View, list, began, now); k.Version < before {
		logger.Info("Versions of the Leases have gone backwards, as after a restore of a backup; nothing is acted on for a while", "before", before, "now", k.Version)
		m.stopLocked()
		k.View, k.Acquired, k.Wary = k.Group.View(protocol.View{}, list, began, now), 0, now+k.DeadAfter()
	}
	for slot, lease := range k.Slots {
		if owner := protocol.Holder(lease); k.Acquired.Has(slot) && owner != k.Session {
			logger.Info("Slot is lost: its Lease was deleted or has another owner", "slot", k.SlotName(slot), "owner", owner)
			k.Acquired &^= protocol.SetOf(slot)
		}
	}
	k.Written &= k.Acquired
	m.listed, k.Busy = began, 0
	for w := range m.works {
		k.Busy |= w.slot
	}
	rival := m.decision.Rival
	m.decision = protocol.Decide(*k)
	m.updateActingLocked()
	switch {
	case rival == "" && m.decision.Rival != "":
		logger.Info("Another living member has this identity and gets its slots: give each replica an Identity of its own", "other", m.decision.Rival)
	case rival != "" && m.decision.Rival == "":
		logger.Info("No other living member has this identity any more")
	}
}

// updateActingLocked updates the slots in which work may begin, among the slots that this member has
// written. Work that runs in any of these may continue for DrainTimeout.
func (m *Member) updateActingLocked() {
	before, now := m.acting, m.clock.now()
	if m.acting = m.known.Written; !m.decision.Keep {
		m.acting &= m.decision.Mine
	}
	for w := range m.works {
		if w.losing = cmp.Or(w.losing, now); m.acting&w.slot != 0 {
			w.losing = 0
		}
		if m.known.Written&w.slot == 0 || w.losing > 0 && now-w.losing >= m.options.DrainTimeout {
			w.cancel(ErrLost)
		}
	}
	for _, listener := range m.listeners {
		m.notifyLocked(listener, m.acting&^before)
	}
	m.shard.Set((m.decision.Mine | m.known.Acquired).Ranges())
	s := &m.status
	s.Gained += (m.acting &^ before).Len()
	s.Lost += (before &^ m.acting).Len()
	s.Owned.set(m.acting)
	s.Gaining.set(m.decision.Mine &^ m.acting)
	s.Losing.set(m.known.Written &^ m.acting &^ m.decision.Mine)
	s.Unowned.set(m.unownedLocked())
}

// unownedLocked returns the slots on which no known member acts. If the last list is as old as the time for
// which a member may act after it, that is every slot on which this member does not act.
func (m *Member) unownedLocked() protocol.Set {
	switch {
	case m.status.Phase == Stopped:
		return 0
	case m.clock.now()-m.listed >= m.known.ActFor():
		return protocol.All &^ m.acting
	default:
		return (m.decision.Unowned | m.known.Acquired&^m.known.Written) &^ m.acting
	}
}

func (m *Member) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// checkLocked stops this member if its time is over. Every call that depends on it checks first.
func (m *Member) checkLocked() {
	if m.until > 0 && (m.clock.now() >= m.until || !m.clock.wall().Before(m.untilWall)) {
		m.stopLocked()
	}
}

// stopLocked makes this member act on no slot until it has written the slot again. The write fails if
// another member has taken the slot meanwhile.
func (m *Member) stopLocked() {
	m.until, m.known.Written = 0, 0
	m.updateActingLocked()
}

// extend lets this member act for longer, after it has listed the Leases and renewed its life.
func (m *Member) extend(began time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked() // the time may be over already
	if left := began + m.known.ActFor() - m.clock.now(); left > 0 {
		m.until, m.untilWall = began+m.known.ActFor(), m.clock.wall().Add(left)
		m.clock.after(left, func() { m.locked(m.checkLocked) })
	}
}
