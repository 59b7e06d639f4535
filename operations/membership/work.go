package membership

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// ErrLost is why the context of work ended: its slot is to be given up and the work took longer than
// DrainTimeout, or the member could not list the slots or renew its life, or someone deleted the Lease
// of the slot.
var ErrLost = errors.New("slot is no longer owned")

// work is the context of work in a slot.
type work struct {
	context.Context
	member *Member
	slot   protocol.Set // the one that it is in
	cancel context.CancelCauseFunc
	// losing is since when its slot is to be given up, 0 if it is not. The mutex of the member guards it.
	losing time.Duration
}

// Owns reports whether this replica may act on an object now.
func (m *Member) Owns(obj metav1.Object) bool { return m.OwnsHash(m.shard.By().Hash(obj)) }

// OwnsHash reports whether this replica may act on objects with a hash now.
func (m *Member) OwnsHash(hash uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	return m.acting&protocol.SlotOf(hash) != 0
}

// Begin is BeginHash for the hash of an object.
func (m *Member) Begin(ctx context.Context, obj metav1.Object) (work context.Context, end func(), ok bool) {
	return m.BeginHash(ctx, m.shard.By().Hash(obj))
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
	w := &work{member: m, slot: protocol.SlotOf(hash)}
	if m.checkLocked(); m.acting&w.slot == 0 {
		return ctx, func() {}, false
	}
	w.Context, w.cancel = context.WithCancelCause(ctx)
	m.works[w] = struct{}{}
	return w, sync.OnceFunc(w.end), true
}

// Err is that of the context, which ends if the member may not act any more.
func (w *work) Err() error {
	w.member.locked(w.member.checkLocked)
	return w.Context.Err()
}

func (w *work) end() {
	m := w.member
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.works, w)
	w.cancel(nil)
	if m.acting&w.slot == 0 && len(m.wake) == 0 {
		m.wake <- struct{}{} // the slot may be given up now
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
	m.notifyLocked(gained, m.acting)
}

// notifyLocked calls a listener, unless it has gained nothing.
func (m *Member) notifyLocked(listener func(shard.Ranges), gained protocol.Set) {
	if gained != 0 {
		m.notifying.Go(func() { listener(gained.Ranges()) })
	}
}

// Only returns a reconcile function that does nothing for objects that the member does not own.
// It fits controller.Reconcile of this module, and reconcile.Func of controller-runtime. Get
// returns the object of a key, such as the method of a store.
//
// A key without an object is left out, too: it has been deleted, or released since it belongs
// to another replica. What has to be done for a deleted object needs a finalizer.
//
// A reconcile whose range is lost while it runs returns the zero result and no error: the next
// owner reconciles the object. See Member.BeginHash for its context.
func Only[K any, T metav1.Object, R any](m *Member, get func(K) (T, bool), reconcile func(context.Context, K) (R, error)) func(context.Context, K) (R, error) {
	return func(ctx context.Context, key K) (none R, err error) {
		obj, ok := get(key)
		if !ok {
			return none, nil
		}
		work, end, ok := m.Begin(ctx, obj)
		if !ok {
			return none, nil
		}
		defer end()
		result, err := reconcile(work, key)
		if errors.Is(context.Cause(work), ErrLost) {
			return none, nil
		}
		return result, err
	}
}

// Enqueue calls enqueue with the keys of all objects that the member gains, each time that it
// does, so that a controller with Only reconciles them. All returns the objects of a store. An
// object that arrives in the store later is enqueued by its event.
func Enqueue[T metav1.Object](m *Member, all func() iter.Seq[T], enqueue func(...types.NamespacedName)) {
	m.OnGain(func(gained shard.Ranges) {
		for obj := range all() {
			if gained.Contains(m.shard.By().Hash(obj)) {
				enqueue(types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()})
			}
		}
	})
}
