package cache

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// parts are the lists and watches of an informer that has several: one for each namespace
// of a set, or for some of the hashes of its shard. They may change while it runs. Each has a
// reflector in a goroutine of its own, and all of them fill the one store, which takes of
// each what the latest assignment says. They come and go in the goroutine of run.
type parts struct {
	plan plan
	// reflect follows a part until ctx ends or a failure is to end it.
	reflect func(ctx context.Context, part *part) error
	push    func(delta)
	// await is called once, with the parts that make up the first content.
	await func([]*part)
	// news is signalled when the store has the first list of a part, or there are disputes.
	news chan struct{}

	mu       sync.Mutex
	current  []*part
	disputes []dispute
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
	// spare returns parts in whose place there should be one, or nil, and whether that one
	// has to list first.
	spare(parts []*part) (several []*part, relist bool)
	// foreign is the error for an object that belongs to none of the parts.
	foreign(obj metav1.Object) error
	// describe adds the statuses of parts to that of their informer.
	describe(s *Status, parts []*part, statuses []Status)
}

// part is a list and watch of an informer that has several.
type part struct {
	source Source[any]
	// namespace is the one that it lists; "" for a part of a shard.
	namespace string
	// filter is that of a part of a shard, and resume where others, which it is made of, ended;
	// nil otherwise.
	filter   *shardFilter
	resume   *resume
	recorder statusRecorder
	stop     context.CancelFunc
	// ended is closed when the reflector has ended.
	ended chan struct{}
	// reflector is set when it starts.
	reflector *reflector
	// listed and version are what the store has of the part: a whole list, and the version
	// that it has reached. They are guarded by mu of parts.
	listed  bool
	version string
}

func newPart(source Source[any]) *part {
	return &part{source: source, ended: make(chan struct{})}
}

func newParts(plan plan) *parts { return &parts{plan: plan, news: make(chan struct{}, 1)} }

// refusals is how many times in a row a server has to refuse a namespace, before the
// informer goes on without it: one that has just started may not know all roles yet.
const refusals = 3

// retryParts is how long to wait before parts are made one that were not yet fit for it, and before
// disputed objects are looked up for which there were too many others.
const retryParts = 10 * time.Second

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
	p.await(next)
	p.become(next, start)
	var again <-chan time.Time
	for {
		select {
		case <-changed:
			if next, changed, err = p.plan.next(next); err != nil {
				return err
			}
			p.become(next, start)
		case <-p.news:
		case <-again:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
		next, again = p.tend(next, start)
	}
}

// tend does what has become possible since, and returns the parts, and when to try again what
// is not yet.
func (p *parts) tend(parts []*part, start func(*part)) ([]*part, <-chan time.Time) {
	settled := p.settle()
	spare, relist := p.plan.spare(parts)
	if spare == nil && settled {
		return parts, nil
	}
	if spare != nil {
		if joined := p.join(spare, relist); joined != nil {
			parts = append(slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return slices.Contains(spare, p) }), joined)
			p.become(parts, start)
		}
	}
	return parts, time.After(retryParts)
}

// become makes next the parts: from here on the store takes nothing of others.
func (p *parts) become(next []*part, start func(*part)) {
	before, ended := p.replace(next)
	for _, part := range ended {
		part.stop()
	}
	assignment := p.plan.assign(next)
	assignment.ended = ended
	p.push(delta{kind: assigned, list: &wholeList{assignment: assignment}})
	for _, part := range next {
		if !slices.Contains(before, part) {
			start(part)
		}
	}
}

// dispute is an object of a part whose name an object of another part has in the store.
type dispute struct {
	part *part
	key  types.NamespacedName
}

// signal wakes run up.
func (p *parts) signal() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// settle has disputed objects looked up by those who have delivered them, or who go on for
// these, and reports whether it has had all.
func (p *parts) settle() bool {
	p.mu.Lock()
	disputes, current := p.disputes, p.current
	p.disputes = nil
	p.mu.Unlock()
	var later []dispute
	for _, d := range disputes {
		if d.part = successor(current, d.part); d.part != nil && !d.part.lookUp(d.key) {
			later = append(later, d)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disputes = append(later, p.disputes...)
	return len(p.disputes) == 0
}

// successor returns a part if it is one of the current ones, or else the one that goes on for
// it. Nil is one that lists all again, or none.
func successor(current []*part, of *part) *part {
	if slices.Contains(current, of) {
		return of
	}
	at := slices.IndexFunc(current, func(p *part) bool { return p.resume != nil && p.resume.was.has(of) })
	if at < 0 {
		return nil
	}
	return current[at]
}

// lookUp has an object looked up. It returns false if that is not possible yet.
func (p *part) lookUp(key types.NamespacedName) bool {
	return p.recorder.get().Phase != PhasePending && p.reflector.lookups.add(key)
}

// replace makes next the current parts, and returns those that were and those that end. Their
// counters become those of the past at the same time, so that no status is without them.
func (p *parts) replace(next []*part) (before, ended []*part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, p.current = p.current, next
	for _, part := range before {
		if !slices.Contains(next, part) {
			ended = append(ended, part)
			s := part.recorder.get()
			p.past.count(&s)
		}
	}
	return before, ended
}

// failed is called with each failure of a part in its goroutine. The first content of the
// informer has nothing of a namespace that the server refuses.
func (p *parts) failed(ctx context.Context, part *part, refused bool) {
	if status := part.recorder.get(); !refused || status.Attempts < refusals && status.Phase != PhaseAbsent {
		return
	}
	p.mu.Lock()
	listed := part.listed
	p.mu.Unlock()
	if !listed && part.namespace != "" {
		klog.FromContext(ctx).V(2).Info("Namespace is refused, going on without it")
		p.push(delta{kind: withheld, from: part})
	}
}

// onRecovery returns Options.OnRecovery for all parts: an outage is over when each of them
// works again, but for those that the server refuses.
func (p *parts) onRecovery(report func(context.Context, int) bool) func(context.Context, int) bool {
	return func(ctx context.Context, failures int) bool {
		_, statuses, _ := p.statuses()
		for _, s := range statuses {
			if s.Attempts > 0 && !s.refused() {
				klog.FromContext(ctx).V(2).Info("List or watch works again", "failures", failures)
				return true
			}
		}
		return report != nil && report(ctx, failures)
	}
}

// received notes that a batch was committed to the store.
func (p *parts) received(batch []delta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		d := &batch[i]
		part := d.from
		if part == nil || d.kind == withheld {
			continue
		}
		if d.kind == replaced && !part.listed {
			part.listed = true
			p.signal()
		}
		if d.kind == disputed {
			p.disputes = append(p.disputes, dispute{part, d.key})
			p.signal()
		}
		if d.list != nil && len(d.list.disputed) > 0 {
			for _, key := range d.list.disputed {
				p.disputes = append(p.disputes, dispute{part, key})
			}
			p.signal()
		}
		part.version = newest(part.version, d.resourceVersion)
		switch d.kind {
		case set, deleted, left:
			part.recorder.received(1, 0)
		case bookmarked:
			part.recorder.received(0, 1)
		default:
			part.recorder.received(0, 0)
		}
	}
}

// version is the version that the store has reached in every part: "" if it has
// nothing of one.
func (p *parts) version() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	least := ""
	for _, part := range p.current {
		if part.version == "" {
			return ""
		}
		if least == "" || newest(least, part.version) == least {
			least = part.version
		}
	}
	return least
}

// versionOf is the version that the store has reached in the part of an object.
func (p *parts) versionOf(obj metav1.Object) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if part := p.plan.assign(p.current).of(key, obj); part != nil {
		return part.version, nil
	}
	return "", p.plan.foreign(obj)
}

// newest returns the later one of two versions, or the second one if they can't be compared.
func newest(a, b string) string {
	if b == "" || older(b, a) {
		return a
	}
	return b
}

// statuses returns the parts, their statuses, and the counters of those of the past.
func (p *parts) statuses() (current []*part, all []Status, past Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.current {
		s := part.recorder.get()
		s.Synced = part.listed
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

// count adds the counters of another status, so that they never go down.
func (s *Status) count(other *Status) {
	s.Reconnects += other.Reconnects
	s.Relists += other.Relists
	s.RelistReasons = s.RelistReasons.Plus(other.RelistReasons)
	s.Lists = s.Lists.Plus(other.Lists)
	s.WatchLists = s.WatchLists.Plus(other.WatchLists)
	s.Watches = s.Watches.Plus(other.Watches)
	s.Events += other.Events
	s.Bookmarks += other.Bookmarks
	s.ObjectErrors += other.ObjectErrors
}

// addUp adds what the lists of parts have delivered. How many will come is known only if it is
// known of each part that is not listed yet.
func (s *Status) addUp(parts []Status) {
	known := true
	for _, p := range parts {
		s.Received += p.Received
		s.Expected += max(p.Expected, p.Received)
		known = known && (p.Synced || p.Expected > 0)
	}
	if !known || s.Expected == s.Received {
		s.Expected = 0
	}
}

// join adds the statuses of parts to that of their informer: its phase and its failures
// are those of the part that is worst off.
func (s *Status) join(parts []Status, now time.Time) {
	for p := range parts {
		s.count(&parts[p])
	}
	s.addUp(parts)
	if s.Phase == PhaseStopped {
		return
	}
	s.Phase = PhaseWatching
	s.LastContact = now
	served := false
	for i := range parts {
		p := &parts[i]
		if severity[p.Phase] > severity[s.Phase] || i == 0 {
			s.Phase, s.Since, s.NextAttempt = p.Phase, p.Since, p.NextAttempt
			s.Attempts, s.FailingSince, s.LastError = p.Attempts, p.FailingSince, p.LastError
		}
		s.LastEvent, s.LastBookmark = latest(s.LastEvent, p.LastEvent), latest(s.LastBookmark, p.LastBookmark)
		if contact := now.Add(-p.Stale()); !p.refused() && contact.Before(s.LastContact) {
			s.LastContact = contact
		}
		served = served || !p.refused()
		for _, reason := range []struct{ of, from *error }{
			{&s.ReconnectReason, &p.ReconnectReason}, {&s.RelistReason, &p.RelistReason}, {&s.LastObjectError, &p.LastObjectError},
		} {
			if *reason.from != nil {
				*reason.of = *reason.from
			}
		}
	}
	if !served && len(parts) > 0 {
		s.LastContact = now.Add(-parts[0].Stale())
	}
}

// severity orders phases by how far they are from an informer that is well.
var severity = map[Phase]int{PhaseWatching: 0, PhaseStreaming: 1, PhasePending: 2, PhaseListing: 3, PhaseAbsent: 4, PhaseBackingOff: 5}

// refused is whether the server does not let the informer have the objects.
func (s *Status) refused() bool {
	return s.Phase == PhaseAbsent || s.Attempts > 0 && failure.ClassOf(s.LastError) == failure.ClassForbidden
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
