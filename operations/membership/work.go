package membership

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// work is the context of work on objects of a hash.
type work struct {
	context.Context
	member *Member
	hash   uint64
	began  time.Duration
	cancel context.CancelCauseFunc
	// losing is since when its slot is to be given up, 0 if it is not. The mutex of the member guards it.
	losing time.Duration
}

// Begin is BeginHash for the hash of an object.
func (m *Member) Begin(ctx context.Context, obj metav1.Object) (work context.Context, end func(), ok bool) {
	return m.BeginHash(ctx, m.By().Hash(obj))
}

// BeginHash begins work on objects with a hash. If ok is false, this replica does not own it,
// and the work must not be done. If it is true, the slot is not given up before end is called,
// which may be called several times. The context of the work ends with the cause ErrLost when the
// slot was to be given up for DrainTimeout, or at once when it is lost: others may own it soon
// after. Err of the context looks at the clock, so that work in several steps that asks for it
// before each one acts on nothing that is lost, also after its process was stopped.
func (m *Member) BeginHash(ctx context.Context, hash uint64) (context.Context, func(), bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ownsLocked(hash) {
		return ctx, func() {}, false
	}
	w := &work{member: m, hash: hash, began: m.clock.now()}
	w.Context, w.cancel = context.WithCancelCause(ctx)
	m.works[w] = struct{}{}
	return w, sync.OnceFunc(w.end), true
}

// Err is that of the context, which ends if the member may not act any more.
func (w *work) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	w.member.locked(w.member.checkLocked)
	return w.Context.Err()
}

func (w *work) end() {
	m := w.member
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.works, w)
	w.cancel(nil)
	if !m.acting.Contains(w.hash) && len(m.look) == 0 {
		m.look <- struct{}{} // the slot may be given up now
	}
}

// busyLocked reports whether work is running in a slot.
func (m *Member) busyLocked(slot int) bool {
	hashes := protocol.RangeOf(slot)
	for w := range m.works {
		if hashes.First <= w.hash && w.hash <= hashes.Last {
			return true
		}
	}
	return false
}

// setActingLocked changes what this member may begin work on, and where work may go on.
func (m *Member) setActingLocked(acting, held shard.Ranges) {
	gained, now := acting.Minus(m.acting), m.clock.now()
	m.acting, m.held = acting, held
	for _, listener := range m.listeners {
		m.tellLocked(listener, gained)
	}
	for w := range m.works {
		switch {
		case acting.Contains(w.hash):
			w.losing = 0
		case w.losing == 0:
			w.losing = now
		}
		if !held.Contains(w.hash) || w.losing > 0 && now-w.losing >= m.options.DrainTimeout {
			w.cancel(ErrLost)
		}
	}
}

// OnGain calls a function when this replica may act on ranges that it might not act on before, and at
// first for what it owns already. Each call has a goroutine, and Run returns when all have returned.
// A controller enqueues the objects of these ranges: see Enqueue. Owns and Begin have changed
// before the call, and may have changed again since.
func (m *Member) OnGain(gained func(shard.Ranges)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	m.listeners = append(m.listeners, gained)
	m.tellLocked(gained, m.acting)
}

func (m *Member) tellLocked(listener func(shard.Ranges), gained shard.Ranges) {
	if len(gained) > 0 {
		m.telling.Go(func() { listener(gained) })
	}
}
