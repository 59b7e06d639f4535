package cache

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// branch is a list and watch of an informer that has several.
type branch struct {
	source Objects
	// scope is the namespace or the object that it lists.
	scope    types.NamespacedName
	recorder statusRecorder
	stop     context.CancelFunc
	// listed is set when the store has a whole list of the branch.
	listed atomic.Bool
	// version is the one that the store has reached. It is guarded by mu of branchSet.
	version string
	// refusals say whether the branch is left out, until it is listed.
	refusals protocol.Refusals
}

// assignment says to which branch of an informer each object belongs, so that what comes late
// from a branch that has lost it changes nothing. It is immutable: another one takes its place as
// a delta, in order with the deltas of the branches.
type assignment struct {
	// scopes has the branches by their namespaces or, if named, objects.
	scopes map[types.NamespacedName]*branch
	named  bool
	// ended are the branches that the assignment before had, and this one has not.
	ended []*branch
	// cause is that of objects that belong to no branch any more.
	cause *cause.Cause
}

// of returns the branch of an object, or nil.
func (a *assignment) of(key types.NamespacedName) *branch {
	if !a.named {
		key.Name = ""
	}
	return a.scopes[key]
}

// has reports whether a branch is one of the assignment, or belongs to an informer that has no branches.
func (a *assignment) has(b *branch) bool {
	if a == nil {
		return b == nil
	}
	return a.scopes[b.scope] == b
}

// branchSet is the lists and watches of an informer of a set of namespaces or names, which may change
// while it runs. Each has a reflector in a goroutine of its own, and all of them fill the one store,
// which takes of each what the latest assignment says. They come and go in the goroutine of run.
type branchSet struct {
	plan scopePlan
	// reflect follows a branch until ctx ends or a failure is to end it.
	reflect func(ctx context.Context, branch *branch) error
	push    func(delta)
	// expect is called once, with the branches that make up the first content.
	expect func([]*branch)

	mu      sync.Mutex
	current []*branch
	// assigned says which objects belong to which of them; nil before the start.
	assigned *assignment
	// least is the branch whose version is that of all; nil if it is not known.
	least *branch
	// failing are those whose failure was reported and whose recovery was not yet, but for those
	// that the server refuses.
	failing map[*branch]bool
	// past has the counters of those that have ended.
	past Status
}

func newBranchSet(about *SourceInfo, store *store) *branchSet {
	return &branchSet{plan: scopePlan{about, store}, failing: map[*branch]bool{}}
}

// run follows the branches of the plan until ctx ends, or one of them is given up with an
// error, which it returns.
func (p *branchSet) run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	start := func(branch *branch) {
		logger := klog.FromContext(ctx)
		switch {
		case branch.scope.Name != "":
			logger = logger.WithValues("object", objectkey.String(branch.scope))
		case branch.scope.Namespace != "":
			logger = logger.WithValues("namespace", branch.scope.Namespace)
		}
		ctx, stop := context.WithCancel(klog.NewContext(ctx, logger))
		branch.stop = stop
		branch.recorder.start()
		running.Go(func() {
			defer stop()
			defer p.recovered(branch)
			if err := p.reflect(ctx, branch); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	next, changed, err := p.plan.next(nil)
	if err != nil {
		return err
	}
	p.expect(next)
	p.switchTo(next, start)
	for {
		select {
		case <-changed:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
		if next, changed, err = p.plan.next(next); err != nil {
			return err
		}
		p.switchTo(next, start)
	}
}

// switchTo makes next the branches: from here on the store takes nothing of others.
func (p *branchSet) switchTo(next []*branch, start func(*branch)) {
	assignment := p.plan.assign(next)
	p.replace(next, assignment)
	for _, branch := range assignment.ended {
		branch.stop()
	}
	p.push(delta{kind: assigned, list: &wholeList{assignment: assignment}})
	for _, branch := range next {
		if branch.stop == nil {
			start(branch)
		}
	}
}

// replace makes next the current branches, and notes in their assignment which branches end. The
// counters of these become those of the past at the same time, so that no status is without them.
func (p *branchSet) replace(next []*branch, assignment *assignment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	goesOn := make(map[*branch]bool, len(next))
	for _, branch := range next {
		goesOn[branch] = true
	}
	for _, branch := range p.current {
		if !goesOn[branch] {
			assignment.ended = append(assignment.ended, branch)
			s := branch.recorder.get()
			p.past.count(&s)
		}
	}
	p.current, p.assigned, p.least = next, assignment, nil
}

// failed is called with each failure of a branch in its goroutine. A namespace or name that the
// server refuses is left out: neither the first content nor a version waits for it.
func (p *branchSet) failed(ctx context.Context, branch *branch, f *Failure) {
	if p.leavesOut(branch, f) {
		klog.FromContext(ctx).V(2).Info("Refused, going on without it")
		p.push(delta{kind: branchRefused, from: branch})
	}
}

// leavesOut reports whether a branch is left out from a failure on.
func (p *branchSet) leavesOut(branch *branch, f *Failure) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case protocol.Refuses(f.Err):
		delete(p.failing, branch)
	case !f.expected():
		p.failing[branch] = true
	}
	if !branch.refusals.Failed(f.Err) {
		return false
	}
	p.least = nil
	return true
}

// recovered notes that a branch works again, or has ended, and reports whether others still
// fail. An outage is over when each works again, but for those that the server refuses.
func (p *branchSet) recovered(branch *branch) (othersFail bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.failing, branch)
	return len(p.failing) > 0
}

// received notes that a batch was committed to the store.
func (p *branchSet) received(batch []delta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		d := &batch[i]
		branch := d.from
		if branch == nil || d.kind == branchRefused {
			continue
		}
		if d.kind == replaced {
			branch.listed.Store(true)
		}
		p.reach(branch, d)
		branch.recorder.received(d.counts())
	}
}

// reach notes the version of a committed delta. That of a list counts even if it is older:
// the server's history has restarted. The caller holds mu.
func (p *branchSet) reach(branch *branch, d *delta) {
	if d.kind == replaced {
		branch.version = cmp.Or(d.resourceVersion, branch.version)
		branch.refusals = protocol.Refusals{}
	} else {
		branch.version = protocol.Newest(branch.version, d.resourceVersion)
	}
	if branch == p.least || p.least != nil && protocol.Older(branch.version, p.least.version) {
		p.least = nil
	}
}

// version returns the version that the store has reached in every branch that is not left out:
// "" if it has nothing of one. Awaited is false if there is no such branch.
func (p *branchSet) version() (version string, awaited bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.least == nil {
		p.least = p.behind()
	}
	if p.least == nil {
		return "", false
	}
	return p.least.version, true
}

// behind returns the branch with the oldest version that is not left out, or nil. All that wait
// for a version ask at each event, so that it is looked for only when it may be another one. The
// caller holds mu.
func (p *branchSet) behind() (least *branch) {
	for _, branch := range p.current {
		switch {
		case branch.refusals.LeftOut:
		case branch.version == "":
			return branch
		case least == nil || protocol.Older(branch.version, least.version):
			least = branch
		}
	}
	return least
}

// versionOf returns the version that the store has reached in the branch of an object. A branch that is
// left out is an error: what is written there does not arrive.
func (p *branchSet) versionOf(obj metav1.Object) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.assigned == nil {
		return "", nil // not started
	}
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	branch := p.assigned.of(key)
	switch {
	case branch == nil:
		return "", p.plan.foreign(obj)
	case branch.refusals.LeftOut:
		return "", fmt.Errorf("object %q: server refuses its namespace or name: %w", objectkey.String(key), branch.recorder.get().LastError)
	}
	return branch.version, nil
}

// positions returns the sources and versions of the branches that are not left out.
func (p *branchSet) positions() (all []position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, branch := range p.current {
		if branch.refusals.LeftOut {
			continue
		}
		all = append(all, position{source: branch.source, reached: func() (string, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return branch.version, nil
		}})
	}
	return all
}

// unknown returns why it is not known whether the object of a name exists, nil if it is, and
// whether to wait for it is of no use.
func (p *branchSet) unknown(key types.NamespacedName) (why error, refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.assigned == nil {
		return fmt.Errorf("object %q: %w: informer was not started", objectkey.String(key), failure.ErrUnknown), false
	}
	branch := p.assigned.of(key)
	if branch == nil {
		return notFollowed(key), key.Name == "" // which no set has
	}
	if branch.listed.Load() {
		return nil, false
	}
	err := branch.recorder.get().LastError
	if err == nil {
		return fmt.Errorf("object %q: %w: not listed yet", objectkey.String(key), failure.ErrUnknown), false
	}
	return fmt.Errorf("object %q: %w: not listed yet: %w", objectkey.String(key), failure.ErrUnknown, err), branch.refusals.LeftOut
}

// statuses returns the branches, their statuses, and the counters of those of the past.
func (p *branchSet) statuses() (current []*branch, all []Status, past Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, branch := range p.current {
		s := branch.recorder.get()
		s.Synced = branch.listed.Load()
		all = append(all, s)
	}
	return p.current, all, p.past
}

// describe makes the status of an informer that of its branches.
func (p *branchSet) describe(s *Status) {
	branches, statuses, past := p.statuses()
	for i, branch := range branches {
		statuses[i].DecodedByClient = decodedByClient(branch.source)
	}
	s.join(statuses, time.Now())
	s.count(&past)
	p.plan.describe(s, branches, statuses)
}
