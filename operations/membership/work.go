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

// ErrLost is the cause with which the context of work ends. Either its slot must be given up and the work
// took longer than DrainTimeout, or the slot was lost. A slot is lost if the member could not list the
// slots or renew its life in time, or if the slot's Lease was deleted.
var ErrLost = errors.New("slot is no longer owned")

// work is the context of work in a slot.
type work struct {
	context.Context
	member *Member
	slot   protocol.Set // the work's slot
	cancel context.CancelCauseFunc
	// losing is the time since when the slot must be given up, or 0. The member's mutex guards it.
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

// BeginHash begins work on objects with a hash. If ok is false, this replica does not own the slot, and the
// work must not be done. Otherwise the slot is not given up before end is called, which may be called
// several times. The context of the work ends with the cause ErrLost: DrainTimeout after the slot must be
// given up, or at once when it is lost. Another member may own the slot soon after. Err of the context
// checks the clock. Work in several steps that calls Err before each step does not act on a lost slot, even
// after its process was stopped.
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

// Err returns the context's error. The context ends if the member may not act any more.
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

// OnGain calls a function when this replica may act on new ranges, and at once for the ranges that it owns
// already. Each call has its own goroutine, and Run returns when all calls have returned. A controller
// enqueues the objects of these ranges: see Enqueue. Owns and Begin have changed before the call, and may
// have changed again since.
func (m *Member) OnGain(gained func(shard.Ranges)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	m.listeners = append(m.listeners, gained)
	m.notifyLocked(gained, m.acting)
}

// notifyLocked calls a listener in a goroutine, unless gained is empty.
func (m *Member) notifyLocked(listener func(shard.Ranges), gained protocol.Set) {
	if gained != 0 {
		m.notifying.Go(func() { listener(gained.Ranges()) })
	}
}

// Only returns a reconcile function that does nothing for objects that the member does not own. It fits
// controller.Reconcile of this module, and reconcile.Func of controller-runtime. get returns the object of
// a key; a store's method fits.
//
// A key without an object is left out, too: the object was deleted, or released since it belongs to another
// replica. To act on a deletion, use a finalizer.
//
// If a reconcile's slot is lost while it runs, the function returns the zero result and no error: the next
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

// Enqueue calls enqueue with the keys of all objects that the member gains, whenever it gains some. So a
// controller with Only reconciles them. all returns the objects of a store. An object that arrives in the
// store later is enqueued by its event.
func Enqueue[T metav1.Object](m *Member, all func() iter.Seq[T], enqueue func(...types.NamespacedName)) {
	m.OnGain(func(gained shard.Ranges) {
		for obj := range all() {
			if gained.Contains(m.shard.By().Hash(obj)) {
				enqueue(types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()})
			}
		}
	})
}
