package membership

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Member is a replica in a group. Its methods are safe for concurrent use.
type Member struct {
	leases  Leases
	options Options
	clock   clock
	shard   *shard.Shard
	started atomic.Bool
	// idle has a value when work in a range has ended that is to be handed over.
	idle chan struct{}
	// table is the Lease of the group that this process has gone by last, as its owner, or else
	// at first. The loop has it.
	table types.UID

	mu sync.Mutex
	// acting is what this member owns and may work on, as long as its Lease is young enough.
	acting shard.Ranges
	// renewed is when the request that renewed the Lease was about to be sent. Lapsed is
	// whether it was too long ago, at some time since.
	renewed instant
	lapsed  bool
	// stopExpiry ends the timer that finds the Lease too old.
	stopExpiry func() bool
	permits    map[*permit]struct{}
	notices    notices
	status     Status
}

// New returns a member that is yet to be run. The client is for the namespace that the group has
// its Leases in, which need not be that of the objects. It needs a rate limit of its own, or none:
// behind the requests of a busy controller, renewals come too late. Possible errors: ErrInvalid.
func New(leases Leases, options Options) (*Member, error) {
	return newMember(leases, options, systemClock{time.Now()})
}

func newMember(leases Leases, options Options, clock clock) (*Member, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Member{
		leases:  leases,
		options: options,
		clock:   clock,
		shard:   shard.New(options.By, nil),
		idle:    make(chan struct{}, 1),
		lapsed:  true,
		permits: map[*permit]struct{}{},
		notices: newNotices(),
		status:  Status{Group: options.Group, Identity: options.Identity, Phase: Stopped},
	}, nil
}

// Shard returns the objects that informers of this replica have to follow: those that it owns
// and those that it will own when others have handed them over. It has no ranges before Run.
func (m *Member) Shard() *shard.Shard { return m.shard }

// By returns what is hashed.
func (m *Member) By() shard.By { return m.shard.By() }

// Owns reports whether this replica may act on an object now.
func (m *Member) Owns(obj metav1.Object) bool { return m.OwnsHash(m.By().Hash(obj)) }

// OwnsHash reports whether this replica may act on objects with a hash now.
func (m *Member) OwnsHash(hash uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ownsLocked(hash)
}

func (m *Member) ownsLocked(hash uint64) bool {
	return m.acting.Contains(hash) && !m.lapsedLocked()
}

// Run makes this replica a member, until ctx ends: it then hands its ranges over, when no
// work in them is running, deletes its Lease and returns. Whatever goes wrong meanwhile is
// in the log and the Status, and is tried again.
//
// Possible errors: ErrStarted, since a member runs once; and that ranges could not be handed
// over, since work in them did not end or the API server did not answer for DrainTimeout and
// half of LeaseDuration.
func (m *Member) Run(ctx context.Context) error {
	if m.started.Swap(true) {
		return m.errorf("%w", ErrStarted)
	}
	ctx = klog.NewContext(ctx, klog.LoggerWithValues(klog.FromContext(ctx), "group", m.options.Group, "identity", m.options.Identity))
	var notifying sync.WaitGroup
	notifying.Go(m.notices.run)
	defer notifying.Wait()
	defer m.notices.close()
	defer m.report(func(s *Status) { s.Phase = Stopped })
	for {
		err := newLoop(ctx, m).run()
		m.end()
		if ctx.Err() != nil {
			if err != nil {
				return m.errorf("%w", err)
			}
			return nil
		}
		klog.FromContext(ctx).Info("Lease is lost, joining again", "reason", err)
	}
}

func (m *Member) errorf(format string, args ...any) error {
	return fmt.Errorf("member %q of %q: "+format, append([]any{m.options.Identity, m.options.Group}, args...)...)
}

// OnChange calls gained when this replica may act on ranges that it might not act on before, and
// lost when it may not any more, one call at a time. Either may be nil. What it owns already is
// gained. A controller enqueues the objects of gained ranges: see Enqueue. Owns and Begin have
// changed before the call, and may have changed again since; a range that is lost because the
// Lease was not renewed is gained again when it is. Run returns when all calls have.
func (m *Member) OnChange(gained, lost func(shard.Ranges)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &listener{gained, lost}
	m.notices.add(l)
	if !m.lapsedLocked() {
		m.notices.to(l, m.acting)
	}
}

// lapsedLocked reports whether the Lease is too old to act by. Whoever finds that first makes
// it so for everybody, until the Lease is renewed.
func (m *Member) lapsedLocked() bool {
	if !m.lapsed && m.clock.now().sinceAtMost(m.renewed) >= actFor(m.options.LeaseDuration) {
		m.lapseLocked()
	}
	return m.lapsed
}

func (m *Member) lapseLocked() {
	m.lapsed = true
	m.notices.lost(m.acting)
	for p := range m.permits {
		p.cancel(ErrLost)
	}
}

// checkExpiry finds out whether the Lease is too old.
func (m *Member) checkExpiry() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lapsedLocked()
}

// extend lets this member act by a Lease that was renewed.
func (m *Member) extend(began instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lapsedLocked() // before this, which others may have found
	m.renewed = began
	left := actFor(m.options.LeaseDuration) - m.clock.now().sinceAtMost(began)
	if left <= 0 {
		return
	}
	if m.stopExpiry != nil {
		m.stopExpiry()
	}
	m.stopExpiry = m.clock.after(left, m.checkExpiry)
	if m.lapsed {
		m.lapsed = false
		m.notices.gained(m.acting)
	}
}

// act makes ranges those that this member may work on. Work in the others may go on for a
// while.
func (m *Member) act(ranges shard.Ranges) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ranges.Equal(m.acting) {
		return
	}
	lost, gained := m.acting.Minus(ranges), ranges.Minus(m.acting)
	m.acting = ranges
	if !m.lapsedLocked() {
		m.notices.lost(lost)
		m.notices.gained(gained)
	}
	for p := range m.permits {
		if lost.Contains(p.hash) {
			p.drain(m.options.DrainTimeout)
		}
	}
}

// end takes everything from this member: its session is over.
func (m *Member) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopExpiry != nil {
		m.stopExpiry()
	}
	if !m.lapsed {
		m.lapseLocked()
	}
	m.acting = nil
}
