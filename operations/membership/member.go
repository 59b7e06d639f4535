package membership

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	notices notices
	// look has a value when there may be something to decide, and beat when the life should be
	// renewed at once.
	look, beat chan struct{}

	mu sync.Mutex
	// term is the time in which this member may act without a break.
	term term
	// acting are the ranges that it may begin work on, and held those and what it has to give up.
	acting, held shard.Ranges
	permits      map[*permit]struct{}
	session      session
	status       Status
}

// term is a time in which the last renewal and the last list were always young enough. What was
// acquired in an earlier one has to be written again before this member acts on it: if others
// have taken it meanwhile, that fails.
type term struct {
	number          int
	renewed, listed time.Duration // when the requests were about to be sent
	over            bool
	stopTimer       func() bool
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
		clock:   clock,
		shard:   shard.New(options.By, nil),
		notices: newNotices(),
		look:    make(chan struct{}, 1),
		beat:    make(chan struct{}, 1),
		term:    term{over: true},
		permits: map[*permit]struct{}{},
		status:  Status{Group: options.Group, Identity: options.Identity, Phase: Stopped, LeaseDuration: options.LeaseDuration},
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
func (m *Member) OwnsHash(hash uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ownsLocked(hash)
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
	if m.started.Swap(true) {
		return m.errorf(ErrStarted)
	}
	ctx = klog.NewContext(ctx, klog.LoggerWithValues(klog.FromContext(ctx), "group", m.options.Group, "identity", m.options.Identity))
	var notifying sync.WaitGroup
	notifying.Go(m.notices.run)
	defer notifying.Wait()
	defer m.notices.close()
	defer m.report(func(s *Status) { s.Phase = Stopped })
	for {
		err := m.join(ctx)
		if ctx.Err() != nil {
			return m.errorf(err)
		}
		klog.FromContext(ctx).Info("Member has no share and joins again", "reason", err)
		m.sleep(ctx, m.options.LeaseDuration, nil)
	}
}

func (m *Member) errorf(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("member %q of %q: %w", m.options.Identity, m.options.Group, err)
}

// OnChange calls gained when this replica may act on ranges that it might not act on before, and
// lost when it may not any more, one call at a time. Either may be nil. What it owns already is
// gained. A controller enqueues the objects of gained ranges: see Enqueue. Owns and Begin have
// changed before the call, and may have changed again since. Run returns when all calls have.
func (m *Member) OnChange(gained, lost func(shard.Ranges)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	m.notices.add(listener{gained, lost}, m.acting)
}

// checkLocked ends the term if the last renewal or list is too old. Whoever asks first finds it.
func (m *Member) checkLocked() {
	if oldest := min(m.term.renewed, m.term.listed); !m.term.over && m.clock.now()-oldest >= actFor(m.options.LeaseDuration) {
		m.endTermLocked()
	}
}

func (m *Member) check() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
}

// endTermLocked takes everything from this member until it was written again.
func (m *Member) endTermLocked() {
	m.term.over = true
	m.setActingLocked(nil, nil)
}

// extendLocked lets this member act for longer: one of the requests of its term was answered.
func (m *Member) extendLocked(request *time.Duration, began time.Duration) {
	m.checkLocked() // before this, which others may have found
	*request = began
	left := actFor(m.options.LeaseDuration) - (m.clock.now() - min(m.term.renewed, m.term.listed))
	if left <= 0 || m.term.renewed == 0 || m.term.listed == 0 {
		return
	}
	if m.term.stopTimer != nil {
		m.term.stopTimer()
	}
	m.term.stopTimer = m.clock.after(left, m.check)
	if m.term.over {
		m.term.over = false
		m.term.number++
		signal(m.look)
	}
}

// setActingLocked changes what this member may begin work on, and where work may go on.
func (m *Member) setActingLocked(acting, held shard.Ranges) {
	if lost := m.acting.Minus(acting); len(lost) > 0 {
		m.notices.lost(lost)
	}
	if gained := acting.Minus(m.acting); len(gained) > 0 {
		m.notices.gained(gained)
	}
	m.acting, m.held = acting, held
	for p := range m.permits {
		switch {
		case !held.Contains(p.hash):
			p.cancel(ErrLost)
		case !acting.Contains(p.hash) && p.stopDrain == nil:
			p.drain(m.options.DrainTimeout)
		}
	}
}

// signal sends a value unless there is one.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
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
