package membership

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var leaseResource = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// store is the Leases of a namespace, with compare and swap, and with its history.
type store struct {
	mu      sync.Mutex
	version int
	leases  map[string]*coordinationv1.Lease
	// history has what lists returned, and since when.
	history []state
}

type state struct {
	since   time.Time
	version int
	leases  map[string]*coordinationv1.Lease
}

func newStore() *store {
	return &store{leases: map[string]*coordinationv1.Lease{}, history: []state{{since: time.Now()}}}
}

func (s *store) commit(name string, lease *coordinationv1.Lease) {
	s.version++
	s.leases = maps.Clone(s.leases)
	if lease == nil {
		delete(s.leases, name)
	} else {
		lease.ResourceVersion = strconv.Itoa(s.version)
		s.leases[name] = lease
	}
	s.history = append(s.history, state{time.Now(), s.version, s.leases})
	if len(s.history) > 200 {
		s.history = slices.Clone(s.history[100:])
	}
}

func (s *store) create(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases[lease.Name] != nil {
		return nil, apierrors.NewAlreadyExists(leaseResource, lease.Name)
	}
	lease = lease.DeepCopy()
	lease.UID = types.UID(fmt.Sprintf("uid-%d", s.version+1))
	lease.CreationTimestamp = metav1.Time{Time: time.Now().Truncate(time.Second)}
	s.commit(lease.Name, lease)
	return lease.DeepCopy(), nil
}

func (s *store) update(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.leases[lease.Name]
	switch {
	case current == nil:
		return nil, apierrors.NewNotFound(leaseResource, lease.Name)
	case lease.ResourceVersion != current.ResourceVersion, lease.UID != current.UID:
		return nil, apierrors.NewConflict(leaseResource, lease.Name, errors.New("modified"))
	}
	lease = lease.DeepCopy()
	lease.CreationTimestamp = current.CreationTimestamp
	s.commit(lease.Name, lease)
	return lease.DeepCopy(), nil
}

func (s *store) delete(name string, preconditions *metav1.Preconditions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.leases[name]
	if current == nil {
		return apierrors.NewNotFound(leaseResource, name)
	}
	if p := preconditions; p != nil && (p.UID != nil && *p.UID != current.UID || p.ResourceVersion != nil && *p.ResourceVersion != current.ResourceVersion) {
		return apierrors.NewConflict(leaseResource, name, errors.New("precondition"))
	}
	s.commit(name, nil)
	return nil
}

func (s *store) get(name string) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases[name] == nil {
		return nil, apierrors.NewNotFound(leaseResource, name)
	}
	return s.leases[name].DeepCopy(), nil
}

// list returns what the store was so long ago.
func (s *store) list(selector string, stale time.Duration) (*coordinationv1.LeaseList, error) {
	matches, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.history) - 1
	for at > 0 && s.history[at].since.After(time.Now().Add(-stale)) {
		at--
	}
	list := &coordinationv1.LeaseList{}
	list.ResourceVersion = strconv.Itoa(s.history[at].version)
	for _, name := range slices.Sorted(maps.Keys(s.history[at].leases)) {
		if lease := s.history[at].leases[name]; matches.Matches(labels.Set(lease.Labels)) {
			list.Items = append(list.Items, *lease.DeepCopy())
		}
	}
	return list, nil
}

var errNetwork = errors.New("network")

// network is the way of a member to the store, and what goes wrong on it.
type network struct {
	store *store
	gate  *gate

	mu     sync.Mutex
	random *rand.Rand
	faults faults
	// requests is how many were sent.
	requests int
}

// faults are how often something goes wrong, from 0 to 1, and how.
type faults struct {
	latency     time.Duration // at most
	partitioned bool
	// lostRequest fails before the store is reached, lostResponse after. A delayed one fails
	// too, but reaches the store seconds later.
	lostRequest, lostResponse, delayed float64
	// stale is how often a list is old, and staleness how old at most.
	stale     float64
	staleness time.Duration
	// noLists is whether lists of an unlisted client are refused.
	noLists bool
	// frozen is the time of which all lists are, if it is not zero.
	frozen time.Time
}

func (n *network) set(f faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}

func (n *network) refusesLists() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.faults.noLists
}

// draw decides what happens to a request.
func (n *network) draw() (f faults, latency [2]time.Duration, lostRequest, lostResponse, delayed bool, stale time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	f = n.faults
	for i := range latency {
		latency[i] = time.Duration(n.random.Int64N(int64(f.latency) + 1))
	}
	if n.random.Float64() < f.stale {
		stale = time.Duration(n.random.Int64N(int64(f.staleness) + 1))
	}
	if !f.frozen.IsZero() {
		stale = time.Since(f.frozen)
	}
	chance := func(p float64) bool { return n.random.Float64() < p }
	return f, latency, chance(f.lostRequest), chance(f.lostResponse), chance(f.delayed), stale
}

// exchange sends a request through a network.
func exchange[R any](ctx context.Context, n *network, send func(stale time.Duration) (R, error)) (none R, err error) {
	n.gate.pass()
	defer n.gate.pass()
	f, latency, lostRequest, lostResponse, delayed, stale := n.draw()
	if sleep(ctx, latency[0]); ctx.Err() != nil {
		return none, ctx.Err()
	}
	switch {
	case f.partitioned || lostRequest:
		<-ctx.Done()
		return none, errNetwork
	case delayed:
		time.AfterFunc(time.Duration(len(latency))*f.latency+latency[1]*20, func() { _, _ = send(stale) })
		<-ctx.Done()
		return none, errNetwork
	}
	result, err := send(stale)
	if sleep(ctx, latency[1]); ctx.Err() != nil {
		return none, ctx.Err()
	}
	if lostResponse {
		return none, errNetwork
	}
	return result, err
}

func sleep(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (n *network) Create(ctx context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return exchange(ctx, n, func(time.Duration) (*coordinationv1.Lease, error) { return n.store.create(lease) })
}

func (n *network) Update(ctx context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return exchange(ctx, n, func(time.Duration) (*coordinationv1.Lease, error) { return n.store.update(lease) })
}

func (n *network) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	_, err := exchange(ctx, n, func(time.Duration) (any, error) { return nil, n.store.delete(name, options.Preconditions) })
	return err
}

func (n *network) Get(ctx context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	return exchange(ctx, n, func(time.Duration) (*coordinationv1.Lease, error) { return n.store.get(name) })
}

func (n *network) List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	return exchange(ctx, n, func(stale time.Duration) (*coordinationv1.LeaseList, error) {
		return n.store.list(options.LabelSelector, stale)
	})
}

// slowWriter is a client that gets the response to one write of the Lease of the group late. Until
// then its lists are as old as before it.
type slowWriter struct {
	*network
	old time.Time // since when there is something that the lists don't show
}

func (s *slowWriter) Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	updated, err := s.network.Update(ctx, lease, options)
	if lease.Name == "orders" && err == nil && !s.old.IsZero() {
		s.set(faults{frozen: s.old})
		sleep(ctx, 3*time.Second)
		s.set(faults{})
		s.old = time.Time{}
	}
	return updated, err
}
