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

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

var leaseResource = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// store is the Leases of a namespace, with compare and swap.
type store struct {
	mu      sync.Mutex
	random  *rand.Rand
	version int
	uids    int
	state
	// writes are the last ones, for messages, and counts how many requests there were by verb.
	writes []string
	counts map[string]int
}

// state is the content of a backup.
type state map[string]*coordinationv1.Lease

func newStore(random *rand.Rand) *store {
	return &store{random: random, version: 1000, state: state{}, counts: map[string]int{}}
}

// next is the next version: other objects have some as well.
func (s *store) next() string {
	s.version += 1 + s.random.IntN(1000)
	return strconv.Itoa(s.version)
}

// log records a write.
func (s *store) log(format string, args ...any) {
	s.writes = append(s.writes, fmt.Sprintf("%s: ", time.Now().Format("04:05.000"))+fmt.Sprintf(format, args...))
	if len(s.writes) > 400 {
		s.writes = slices.Clone(s.writes[200:])
	}
}

func (s *store) commit(lease *coordinationv1.Lease) *coordinationv1.Lease {
	lease = lease.DeepCopy()
	lease.ResourceVersion = s.next()
	s.state[lease.Name] = lease
	s.log("%s of %q, state %q", lease.Name, protocol.Holder(lease), lease.Annotations[protocol.AnnotationState])
	return lease.DeepCopy()
}

func (s *store) create(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["create"]++
	if s.state[lease.Name] != nil {
		return nil, apierrors.NewAlreadyExists(leaseResource, lease.Name)
	}
	lease = lease.DeepCopy()
	s.uids++
	lease.UID = types.UID(fmt.Sprintf("uid-%d", s.uids))
	lease.CreationTimestamp = metav1.Time{Time: time.Now().Truncate(time.Second)}
	return s.commit(lease), nil
}

func (s *store) update(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["update"]++
	current := s.state[lease.Name]
	switch {
	case current == nil:
		return nil, apierrors.NewNotFound(leaseResource, lease.Name)
	case lease.ResourceVersion != current.ResourceVersion, lease.UID != current.UID:
		return nil, apierrors.NewConflict(leaseResource, lease.Name, errors.New("modified"))
	}
	return s.commit(lease), nil
}

func (s *store) delete(name string, preconditions *metav1.Preconditions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["delete"]++
	current := s.state[name]
	if current == nil {
		return apierrors.NewNotFound(leaseResource, name)
	}
	if p := preconditions; p != nil && (p.UID != nil && *p.UID != current.UID || p.ResourceVersion != nil && *p.ResourceVersion != current.ResourceVersion) {
		return apierrors.NewConflict(leaseResource, name, errors.New("precondition"))
	}
	delete(s.state, name)
	s.next()
	s.log("%s is deleted", name)
	return nil
}

func (s *store) get(name string) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["get"]++
	if s.state[name] == nil {
		return nil, apierrors.NewNotFound(leaseResource, name)
	}
	return s.state[name].DeepCopy(), nil
}

func (s *store) list(selector string) (*coordinationv1.LeaseList, error) {
	matches, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["list"]++
	list := &coordinationv1.LeaseList{}
	list.ResourceVersion = strconv.Itoa(s.version)
	for _, name := range slices.Sorted(maps.Keys(s.state)) {
		if lease := s.state[name]; matches.Matches(labels.Set(lease.Labels)) {
			list.Items = append(list.Items, *lease) // which nobody changes
		}
	}
	return list, nil
}

// backup returns a function that restores what there is now.
func (s *store) backup() (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, state := s.version, maps.Clone(s.state)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.version, s.state = version, maps.Clone(state)
		s.log("restored")
	}
}

// empty restores a backup with nothing in it, of a version.
func (s *store) empty(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.state = version, state{}
	s.log("restored, empty")
}

// deleteAll deletes the Leases for which is returns true.
func (s *store) deleteAll(is func(name string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.state {
		if is(name) {
			delete(s.state, name)
			s.log("%s is deleted by hand", name)
		}
	}
	s.next()
}

// names returns the names of the Leases, in order.
func (s *store) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.state))
}

var errNetwork = errors.New("network")

// network is the way of a member to the store, and what goes wrong on it.
type network struct {
	store *store
	gate  *gate

	mu     sync.Mutex
	random *rand.Rand
	faults faults
}

// faults are the ways in which something goes wrong, and how often each does, from 0 to 1.
type faults struct {
	latency time.Duration // at most
	// lostRequest fails before the store is reached, lostResponse after. A delayed one fails
	// too, but reaches the store seconds later.
	lostRequest, lostResponse, delayed float64
	// noLists, noWrites, noCreates and noSlots are true for requests that RBAC refuses.
	noLists, noWrites, noCreates bool
}

// partitioned has the faults of a network that nothing passes.
var partitioned = faults{lostRequest: 1}

func (n *network) set(f faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}

// exchange sends a request through a network.
func exchange[R any](ctx context.Context, n *network, refused func(faults) bool, send func() (R, error)) (none R, err error) {
	n.gate.pass()
	defer n.gate.pass()
	n.mu.Lock()
	f, there, back := n.faults, time.Duration(0), time.Duration(0)
	if f.latency > 0 {
		there, back = time.Duration(n.random.Int64N(int64(f.latency))), time.Duration(n.random.Int64N(int64(f.latency)))
	}
	lostRequest, lostResponse, delayed := n.random.Float64() < f.lostRequest, n.random.Float64() < f.lostResponse, n.random.Float64() < f.delayed
	n.mu.Unlock()
	switch {
	case lostRequest:
		<-ctx.Done()
		return none, errNetwork
	case delayed:
		time.AfterFunc(2*there+20*back, func() { _, _ = send() })
		<-ctx.Done()
		return none, errNetwork
	}
	if sleep(ctx, there); ctx.Err() != nil {
		return none, ctx.Err()
	}
	if refused(f) {
		return none, apierrors.NewForbidden(leaseResource, "", errors.New("RBAC"))
	}
	result, err := send()
	if sleep(ctx, back); ctx.Err() != nil {
		return none, ctx.Err()
	}
	if lostResponse {
		<-ctx.Done()
		return none, errNetwork
	}
	return result, err
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
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
	return exchange(ctx, n, func(f faults) bool { return f.noWrites || f.noCreates }, func() (*coordinationv1.Lease, error) { return n.store.create(lease) })
}

func (n *network) Update(ctx context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return exchange(ctx, n, func(f faults) bool { return f.noWrites }, func() (*coordinationv1.Lease, error) { return n.store.update(lease) })
}

func (n *network) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	_, err := exchange(ctx, n, func(f faults) bool { return f.noWrites }, func() (any, error) { return nil, n.store.delete(name, options.Preconditions) })
	return err
}

func (n *network) List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	return exchange(ctx, n, func(f faults) bool { return f.noLists }, func() (*coordinationv1.LeaseList, error) { return n.store.list(options.LabelSelector) })
}
