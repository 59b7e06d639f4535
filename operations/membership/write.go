package membership

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

// request sends a request with a timeout, and records its error. Conflicts are none: another
// member was first, and what it wrote is in the next list.
func (m *Member) request(ctx context.Context, what string, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, m.group.LeaseDuration/6)
	defer cancel()
	err := send(ctx)
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		klog.FromContext(ctx).V(2).Info("Request failed", "request", what, "err", err)
		m.locked(func() {
			m.status.Failures, m.status.LastError, m.status.LastFailure = m.status.Failures+1, fmt.Sprintf("%s: %v", what, err), time.Now()
		})
	}
	return err
}

// renew creates the life or renews it, which shows that this member may update.
func (m *Member) renew(ctx context.Context) error {
	m.mu.Lock()
	life, state := m.view.Lives[m.session], protocol.Joined
	switch {
	case m.leaving > 0:
		state = protocol.Leaving
	case m.clock.now() < m.barred:
		state = protocol.Joining
	}
	m.mu.Unlock()
	err := m.request(ctx, "renew life", func(ctx context.Context) (err error) {
		if life == nil {
			life, err = m.leases.Create(ctx, m.group.Life(nil, m.session, protocol.Joining), metav1.CreateOptions{})
		}
		if err == nil {
			life, err = m.leases.Update(ctx, m.group.Life(life, m.session, state), metav1.UpdateOptions{})
		}
		return err
	})
	if err == nil {
		m.locked(func() { m.view.Lives[m.session], m.status.Renewed = life, time.Now() })
	}
	return err
}

// write does what was decided, and leaves slots to be taken for the next time when it is due to
// list again: with a rate limit, all of them may take longer than a list is good for.
func (m *Member) write(ctx context.Context, d protocol.Decision, due time.Duration) {
	var writing errgroup.Group
	writing.SetLimit(4) // so that other requests of the client need not wait
	send := func(what string, send func(context.Context) error) {
		writing.Go(func() error { return m.request(ctx, what, send) })
	}
	for _, slot := range d.Free {
		send("free slot", func(ctx context.Context) error { return m.free(ctx, slot) })
	}
	for slot, wait := range d.Take {
		if m.clock.now() >= due {
			break
		}
		send("take slot", func(ctx context.Context) error { return m.take(ctx, slot, wait) })
	}
	for _, life := range d.Drop {
		send("delete life", func(ctx context.Context) error { return m.drop(ctx, life) })
	}
	_ = writing.Wait() // what failed is in the status, and is decided again
	m.locked(m.settleLocked)
}

// take acquires a slot by compare and swap, while this member may act. What others may yet act on is
// this member's after they have stopped.
func (m *Member) take(ctx context.Context, slot int, wait bool) error {
	m.mu.Lock()
	m.checkLocked()
	if m.until == 0 {
		m.mu.Unlock()
		return nil
	}
	h, before := m.holds[slot], m.view.Slots[slot]
	if h == nil {
		h = protocol.NewHold(wait)
		m.holds[slot] = h
	}
	lease := m.group.Slot(slot, before, m.session, h.Attempt())
	m.mu.Unlock()
	var err error
	if before == nil {
		lease, err = m.leases.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		lease, err = m.leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case apierrors.IsForbidden(err):
		m.barred = m.clock.now() + m.group.LeaseDuration
		return err
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("lease %q: %w", m.group.SlotName(slot), errForeign)
	case err != nil:
		return err
	}
	m.view.Slots[slot] = lease
	if h.Acquire(m.group, m.clock.now()) {
		m.status.Gained++
	}
	return nil
}

// free frees a slot in which no work of this member is running and none can begin.
func (m *Member) free(ctx context.Context, slot int) error {
	m.mu.Lock()
	lease := m.view.Slots[slot]
	if h := m.holds[slot]; h != nil {
		h.Suspend() // from now on someone else may own it
	}
	m.mu.Unlock()
	lease, err := m.leases.Update(ctx, m.group.Slot(slot, lease, "", ""), metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.view.Slots[slot] = lease
	if m.holds[slot] != nil {
		delete(m.holds, slot)
		m.status.Lost++
	}
	return nil
}

// drop deletes a life if it has not changed.
func (m *Member) drop(ctx context.Context, life *coordinationv1.Lease) error {
	unchanged := &metav1.Preconditions{UID: &life.UID, ResourceVersion: &life.ResourceVersion}
	return m.leases.Delete(ctx, life.Name, metav1.DeleteOptions{Preconditions: unchanged})
}
