package cache

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// parts are the lists and watches of an informer whose objects may change while it runs: one
// for each namespace of a set, or one for the objects of a shard. Each has a reflector in a
// goroutine of its own, and all of them fill the one store, which takes of each what the latest
// assignment says. They come and go in the goroutine of run.
type parts struct {
	plan plan
	// reflect follows a part until ctx ends or a failure is to end it.
	reflect func(ctx context.Context, part *part) error
	push    func(delta)
	// expect is called once, with the parts that make up the first content.
	expect func([]*part)
	// listed is signalled when the store has the first list of a part of a shard, which may
	// have gained hashes meanwhile.
	listed chan struct{}

	mu      sync.Mutex
	current []*part
	// assigned says which objects belong to which of them; nil before the start.
	assigned *assignment
	// least is the part whose version is that of all; nil if it is not known.
	least *part
	// failing are those whose failure was reported and whose recovery was not yet, but for those
	// that the server refuses.
	failing map[*part]bool
	// past has the counters of those that have ended.
	past Status
}

// plan says which parts an informer has.
type plan interface {
	// next returns the parts for what is wanted now, those of before that go on and new ones,
	// and a channel that is closed when something else is wanted.
	next(before []*part) (parts []*part, changed <-chan struct{}, err error)
	// assign returns which of the parts each object belongs to.
	assign(parts []*part) *assignment
	// foreign is the error for an object that belongs to none of the parts.
	foreign(obj metav1.Object) error
	// describe adds the statuses of parts to that of their informer.
	describe(s *Status, parts []*part, statuses []Status)
}

// part is a list and watch of an informer that has several.
type part struct {
	source Objects
	// namespace is the one that it lists; "" for a part of a shard.
	namespace string
	// filter is that of a shard, and before the part in whose place this one lists everything
	// again; nil otherwise.
	filter   *shardFilter
	before   *part
	recorder statusRecorder
	stop     context.CancelFunc
	// ended is closed when the reflector has ended.
	ended chan struct{}
	// reflector is set when it starts.
	reflector *reflector
	// listed is set when the store has a whole list of the part.
	listed atomic.Bool
	// version is the one that the store has reached. It is guarded by mu of parts.
	version string
	// refusals counts the failures in a row that were refusals. After too many, the part is
	// left out until it is listed.
	refusals int
	leftOut  bool
}

func newPart(source Objects) *part {
	return &part{source: source, ended: make(chan struct{})}
}

func newParts(plan plan) *parts {
	return &parts{plan: plan, listed: make(chan struct{}, 1), failing: map[*part]bool{}}
}

// maxRefusals is the number of refusals in a row after which the informer goes on without a
// namespace: a server that has just started may not know all roles yet.
const maxRefusals = 3

// run follows the parts of the plan until ctx ends, or one of them is given up with an
// error, which it returns.
func (p *parts) run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	start := func(part *part) {
		logger := klog.FromContext(ctx)
		if part.namespace != "" {
			logger = logger.WithValues("namespace", part.namespace)
		}
		ctx, stop := context.WithCancel(klog.NewContext(ctx, logger))
		part.stop = stop
		part.recorder.start()
		running.Go(func() {
			defer close(part.ended)
			defer stop()
			defer p.recovered(part)
			if err := p.reflect(ctx, part); err != nil {
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
		case <-p.listed:
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

// switchTo makes next the parts: from here on the store takes nothing of others.
func (p *parts) switchTo(next []*part, start func(*part)) {
	assignment := p.plan.assign(next)
	p.replace(next, assignment)
	for _, part := range assignment.ended {
		part.stop()
	}
	p.push(delta{kind: assigned, list: &wholeList{assignment: assignment}})
	for _, part := range next {
		if part.stop == nil {
			start(part)
		}
	}
}

// replace makes next the current parts, and notes in their assignment which parts end. The
// counters of these become those of the past at the same time, so that no status is without them.
func (p *parts) replace(next []*part, assignment *assignment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	goesOn := make(map[*part]bool, len(next))
	for _, part := range next {
		goesOn[part] = true
	}
	for _, part := range p.current {
		if !goesOn[part] {
			assignment.ended = append(assignment.ended, part)
			s := part.recorder.get()
			p.past.count(&s)
		}
	}
	p.current, p.assigned, p.least = next, assignment, nil
}

// failed is called with each failure of a part in its goroutine. A namespace that the server
// refuses is left out: neither the first content nor a version waits for it.
func (p *parts) failed(ctx context.Context, part *part, f *Failure) {
	if p.leavesOut(part, f) {
		klog.FromContext(ctx).V(2).Info("Namespace is refused, going on without it")
		p.push(delta{kind: partRefused, from: part})
	}
}

// leavesOut reports whether a part is left out from a failure on.
func (p *parts) leavesOut(part *part, f *Failure) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if refuses(f.Err) {
		part.refusals++
		delete(p.failing, part)
	} else {
		part.refusals = 0
		if !expected(f) {
			p.failing[part] = true
		}
	}
	if part.namespace == "" || part.leftOut || part.refusals < maxRefusals {
		return false
	}
	part.leftOut, p.least = true, nil
	return true
}

// recovered notes that a part works again, or has ended, and reports whether others still
// fail. An outage is over when each works again, but for those that the server refuses.
func (p *parts) recovered(part *part) (othersFail bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.failing, part)
	return len(p.failing) > 0
}

// received notes that a batch was committed to the store.
func (p *parts) received(batch []delta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		d := &batch[i]
		part := d.from
		if part == nil || d.kind == partRefused {
			continue
		}
		if d.kind == replaced && !part.listed.Swap(true) && part.filter != nil {
			select {
			case p.listed <- struct{}{}:
			default:
			}
		}
		p.reach(part, d)
		switch d.kind {
		case set, deleted, departed:
			part.recorder.received(1, 0)
		case bookmarked:
			part.recorder.received(0, 1)
		default:
			part.recorder.received(0, 0)
		}
	}
}

// reach notes the version of a committed delta. That of a list counts even if it is older:
// the server's history has restarted. The caller holds mu.
func (p *parts) reach(part *part, d *delta) {
	if d.kind == replaced {
		part.version = cmp.Or(d.resourceVersion, part.version)
		part.leftOut, part.refusals = false, 0
	} else {
		part.version = protocol.Newest(part.version, d.resourceVersion)
	}
	if part == p.least || p.least != nil && protocol.Older(part.version, p.least.version) {
		p.least = nil
	}
}

// version returns the version that the store has reached in every part that is not left out:
// "" if it has nothing of one. Awaited is false if there is no such part.
func (p *parts) version() (version string, awaited bool) {
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

// behind returns the part with the oldest version that is not left out, or nil. All that wait
// for a version ask at each event, so that it is looked for only when it may be another one. The
// caller holds mu.
func (p *parts) behind() (least *part) {
	for _, part := range p.current {
		switch {
		case part.leftOut:
		case part.version == "":
			return part
		case least == nil || protocol.Older(part.version, least.version):
			least = part
		}
	}
	return least
}

// versionOf returns the version that the store has reached in the part of an object.
func (p *parts) versionOf(obj metav1.Object) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.assigned == nil {
		return "", nil // not started
	}
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if part := p.assigned.of(key, obj); part != nil {
		return part.version, nil
	}
	return "", p.plan.foreign(obj)
}

// statuses returns the parts, their statuses, and the counters of those of the past.
func (p *parts) statuses() (current []*part, all []Status, past Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.current {
		s := part.recorder.get()
		s.Synced = part.listed.Load()
		all = append(all, s)
	}
	return p.current, all, p.past
}

// describe makes the status of an informer that of its parts.
func (p *parts) describe(s *Status) {
	parts, statuses, past := p.statuses()
	s.join(statuses, time.Now())
	s.count(&past)
	p.plan.describe(s, parts, statuses)
}
