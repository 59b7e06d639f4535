package membership

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

var errForeign = errors.New("exists, and is not listed with those of the group; delete it or choose another Group")

// The verbs of requests, as RBAC has them.
const (
	verbList   = "list"
	verbCreate = "create"
	verbUpdate = "update"
	verbDelete = "delete"
)

// request sends a request with a timeout, and reports its error. If another member was first, that is not
// reported: the next list shows what it has written or deleted.
func (m *Member) request(ctx context.Context, verb string, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, m.options.LeaseDuration/6)
	defer cancel()
	err := send(ctx)
	gone := apierrors.IsNotFound(err) && (verb == verbUpdate || verb == verbDelete)
	if err != nil && !apierrors.IsConflict(err) && !gone {
		m.reportFailure(ctx, verb, err)
	}
	return err
}

// save creates a Lease, or updates the existing one by compare and swap.
func (m *Member) save(ctx context.Context, before *coordinationv1.Lease, name, holder, state string) (saved *coordinationv1.Lease, err error) {
	lease := m.known.Lease(before, name, holder, state)
	if before != nil {
		err = m.request(ctx, verbUpdate, func(ctx context.Context) (err error) {
			saved, err = m.leases.Update(ctx, lease, metav1.UpdateOptions{})
			return err
		})
		return saved, err
	}
	err = m.request(ctx, verbCreate, func(ctx context.Context) (err error) {
		if saved, err = m.leases.Create(ctx, lease, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
			err = fmt.Errorf("lease %q: %w", name, errForeign)
		}
		return err
	})
	return saved, err
}

// renew creates the life or renews it. A success shows that this member may update Leases.
func (m *Member) renew(ctx context.Context) (err error) {
	session, state := m.known.Session, protocol.Active
	switch {
	case m.known.Leaving > 0:
		state = protocol.Leaving
	case m.clock.now() < m.barred:
		state = protocol.Joining
	}
	life, name := m.known.Lives[session], m.known.LifeName(session)
	if life == nil {
		life, err = m.save(ctx, nil, name, session, protocol.Joining)
	}
	if err == nil {
		life, err = m.save(ctx, life, name, session, state)
	}
	if err == nil {
		m.locked(func() { m.known.Lives[session], m.status.Renewed = life, time.Now() })
	}
	return err
}

// write writes what was decided. After RenewInterval it leaves the remaining slots to the next step: with a
// rate limit, the writes may take longer than the list is valid.
func (m *Member) write(ctx context.Context) {
	due := m.clock.now() + m.known.RenewInterval()
	var writing errgroup.Group
	writing.SetLimit(4) // so that other requests of the client need not wait
	for slot, owner := range m.decision.Write {
		if m.clock.now() < due {
			writing.Go(func() error { return m.writeSlot(ctx, slot, owner) })
		}
	}
	for _, life := range m.decision.Drop {
		writing.Go(func() error { return m.deleteLife(ctx, life) })
	}
	_ = writing.Wait() // a failure is in the status, and the next step decides again
	m.locked(m.updateActingLocked)
}

// writeSlot writes the owner of a slot, or none, by compare and swap. The member takes a slot only while it
// may act. It gives up a slot in which no work is running and none can begin.
func (m *Member) writeSlot(ctx context.Context, slot int, owner string) error {
	m.mu.Lock()
	m.checkLocked()
	m.known.Written &^= protocol.SetOf(slot) // from now on another member may own it
	before, may := m.known.Slots[slot], m.until > 0 || owner != m.known.Session
	m.mu.Unlock()
	if !may {
		return nil
	}
	lease, err := m.save(ctx, before, m.known.SlotName(slot), owner, "")
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if apierrors.IsForbidden(err) {
			m.barred = m.clock.now() + m.options.LeaseDuration/2
		}
		return err
	}
	m.known.Slots[slot] = lease
	m.known.Acquired &^= protocol.SetOf(slot)
	if owner == m.known.Session {
		m.known.Acquired |= protocol.SetOf(slot)
		if m.until > 0 { // it was so during the write, since only this goroutine extends it
			m.known.Written |= protocol.SetOf(slot)
		}
		if other := protocol.Holder(before); other != owner && m.known.Lives[other] != nil {
			klog.FromContext(ctx).Info("Slot is taken from a member that was not seen to live", "slot", lease.Name, "owner", other)
		}
	}
	return nil
}

// deleteLife deletes a life if it has not changed.
func (m *Member) deleteLife(ctx context.Context, life *coordinationv1.Lease) error {
	return m.request(ctx, verbDelete, func(ctx context.Context) error {
		unchanged := &metav1.Preconditions{UID: &life.UID, ResourceVersion: &life.ResourceVersion}
		return m.leases.Delete(ctx, life.Name, metav1.DeleteOptions{Preconditions: unchanged})
	})
}
