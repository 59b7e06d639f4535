package membership

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writers limits how many requests that write slots a member has at a time.
const writers = 4

// write does what was decided, and leaves slots to be taken for the next time when it is due to
// list again: with a rate limit, all of them may take longer than a list is good for. Possible
// errors: errForbidden.
func (m *Member) write(ctx context.Context, d decision, due time.Duration) error {
	var running sync.WaitGroup
	var forbidden atomic.Bool
	free := make(chan struct{}, writers)
	run := func(send func(context.Context) error) {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			if err := m.request(ctx, "write slot", send); apierrors.IsForbidden(err) {
				forbidden.Store(true)
			}
		})
	}
	for _, p := range d.give {
		run(func(ctx context.Context) error { return m.give(ctx, d, p) })
	}
	for p, wait := range d.take {
		if m.clock.now() >= due {
			break
		}
		run(func(ctx context.Context) error { return m.take(ctx, p, wait) })
	}
	for _, lease := range d.clear {
		run(func(ctx context.Context) error {
			_, err := m.leases.Update(ctx, slotLease(m.options.Group, place{}, lease, "", ""), metav1.UpdateOptions{})
			return err
		})
	}
	for _, lease := range d.drop {
		run(func(ctx context.Context) error { return m.drop(ctx, lease) })
	}
	running.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settleLocked()
	m.reportLocked()
	if forbidden.Load() {
		return errForbidden
	}
	return nil
}

// take acquires a slot by compare and swap, in the term in which the request is sent. What others
// may yet act on is this member's after they have stopped.
func (m *Member) take(ctx context.Context, p place, wait bool) error {
	m.mu.Lock()
	m.checkLocked()
	if m.term.over {
		m.mu.Unlock()
		return nil
	}
	h, before, term := m.session.holds[p], m.session.view.slots[p], m.term.number
	if h == nil {
		h = &hold{id: random(), wait: wait}
		m.session.holds[p] = h
	}
	h.attempts++
	lease := slotLease(m.options.Group, p, before, m.session.name, h.acquisition())
	m.mu.Unlock()
	var err error
	if before == nil {
		lease, err = m.create(ctx, lease)
	} else {
		lease, err = m.leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.term = term; h.ripe == 0 {
		h.ripe = m.clock.now()
		if h.wait {
			h.ripe += deadAfter(m.options.LeaseDuration)
		}
		m.status.Gained++
	}
	m.session.view.slots[p] = lease
	return nil
}

// create creates the Lease of a slot, or takes over one that someone took the label from.
func (m *Member) create(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	created, err := m.leases.Create(ctx, lease, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	current, getErr := m.leases.Get(ctx, lease.Name, metav1.GetOptions{})
	switch {
	case getErr != nil:
		return nil, getErr
	case current.Labels[labelGroup] == m.options.Group:
		return nil, apierrors.NewConflict(coordinationv1.Resource("leases"), lease.Name, err) // another member was first
	case current.Annotations[annotationAcquisition] == "":
		return nil, fmt.Errorf("lease %q: %w", lease.Name, errForeign)
	}
	lease.ObjectMeta.ResourceVersion, lease.ObjectMeta.UID = current.ResourceVersion, current.UID
	return m.leases.Update(ctx, lease, metav1.UpdateOptions{})
}

// give gives a slot up, in which no work is running and none can begin. One of another number of
// slots is deleted.
func (m *Member) give(ctx context.Context, d decision, p place) error {
	m.mu.Lock()
	h, before := m.session.holds[p], m.session.view.slots[p]
	h.term = 0 // from now on someone else may own it
	m.mu.Unlock()
	var lease *coordinationv1.Lease
	var err error
	if p.count == d.count {
		lease, err = m.leases.Update(ctx, slotLease(m.options.Group, p, before, "", ""), metav1.UpdateOptions{})
	} else {
		err = m.drop(ctx, before)
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.session.holds, p)
	if m.session.view.slots[p] = lease; lease == nil {
		delete(m.session.view.slots, p)
	}
	m.status.Lost++
	return nil
}

// drop deletes a Lease if it has not changed.
func (m *Member) drop(ctx context.Context, lease *coordinationv1.Lease) error {
	return m.leases.Delete(ctx, lease.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion},
	})
}
