package membership

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// permit is the context of work on objects of a hash.
type permit struct {
	context.Context
	member *Member
	hash   uint64
	began  time.Duration
	cancel context.CancelCauseFunc
	// stopDrain ends the timer that cancels. The mutex of the member guards it.
	stopDrain func() bool
}

// Begin is BeginHash for the hash of an object.
func (m *Member) Begin(ctx context.Context, obj metav1.Object) (work context.Context, end func(), ok bool) {
	return m.BeginHash(ctx, m.By().Hash(obj))
}

// BeginHash begins work on objects with a hash. If ok is false, this replica does not own it,
// and the work must not be done. If it is true, the slot is not given up before end is called,
// which may be called several times. The context of the work ends with the cause ErrLost when
// DrainTimeout is over, or when the slot is lost: others may own it soon after. Err of the context
// looks at the clock, so that work in several steps that asks for it before each one acts on
// nothing that is lost, also after its process was stopped.
func (m *Member) BeginHash(ctx context.Context, hash uint64) (work context.Context, end func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ownsLocked(hash) {
		return ctx, func() {}, false
	}
	p := &permit{member: m, hash: hash, began: m.clock.now()}
	p.Context, p.cancel = context.WithCancelCause(ctx)
	m.permits[p] = struct{}{}
	return p, sync.OnceFunc(p.end), true
}

// Err is that of the context, which ends if the term of the member is over.
func (p *permit) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	p.member.check()
	return p.Context.Err()
}

// drain cancels the work after some time, unless its slot was gained again. The caller holds the
// mutex of the member.
func (p *permit) drain(after time.Duration) {
	p.stopDrain = p.member.clock.after(after, func() {
		p.member.mu.Lock()
		defer p.member.mu.Unlock()
		p.stopDrain = nil
		if !p.member.acting.Contains(p.hash) {
			p.cancel(ErrLost)
		}
	})
}

func (p *permit) end() {
	m := p.member
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.permits, p)
	if p.stopDrain != nil {
		p.stopDrain()
	}
	p.cancel(nil)
	if !m.acting.Contains(p.hash) {
		signal(m.look) // the slot may be given up now
	}
}

// busyLocked reports whether work is running in a slot.
func (m *Member) busyLocked(slot shard.Range) bool {
	for p := range m.permits {
		if slot.First <= p.hash && p.hash <= slot.Last {
			return true
		}
	}
	return false
}
