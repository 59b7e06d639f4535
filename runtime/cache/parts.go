package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// parts are the lists and watches of an informer that has several: one for each namespace
// of a set that may change while it runs. Each has a reflector in a goroutine of its own,
// and all of them fill the one store. They come and go in the goroutine of run.
type parts struct {
	// namespaces and in are those of SourceInfo.
	namespaces func() (names []string, changed <-chan struct{})
	in         func(namespace string) Source[any]
	// reflect follows a source until ctx ends or a failure is to end it.
	reflect func(ctx context.Context, part *part) error
	push    func(delta)
	// await is called once, with the namespaces that make up the first content.
	await func(namespaces []string)

	mu sync.Mutex
	// current are those of the set, and ending those of the past whose reflectors have not
	// ended, the latest of each namespace.
	current, ending map[string]*part
	// past has the counters of those that were removed.
	past Status
}

// part is the list and watch of one namespace.
type part struct {
	namespace string
	recorder  statusRecorder
	stop      context.CancelFunc
	// ended is closed when the reflector has ended, and its objects are about to go.
	ended chan struct{}
	// listed and version are what the store has of the part: a whole list, and the version
	// that it has reached. They are guarded by mu of parts.
	listed  bool
	version string
}

func newParts(namespaces func() ([]string, <-chan struct{}), in func(namespace string) Source[any]) *parts {
	return &parts{namespaces: namespaces, in: in, current: map[string]*part{}, ending: map[string]*part{}}
}

// refusals is how many times in a row a server has to refuse a namespace, before the
// informer goes on without it: one that has just started may not know all roles yet.
const refusals = 3

var errAllNamespaces = errors.New(`namespace "" in a set of namespaces: it stands for all of them, which need a source of their own`)

// run follows the namespaces of the set until ctx ends, or one of them is given up with an
// error, which it returns.
func (p *parts) run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	start := func(namespace string) {
		part, before := p.add(namespace)
		ctx, stop := context.WithCancel(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("namespace", namespace)))
		part.stop = stop
		running.Go(func() {
			defer stop()
			if err := p.follow(ctx, part, before); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	names, changed := p.namespaces()
	p.await(names)
	for {
		if slices.Contains(names, "") {
			return errAllNamespaces
		}
		p.become(names, start)
		select {
		case <-changed:
			names, changed = p.namespaces()
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// become stops the parts that are not of the set any more, and starts those that are new.
func (p *parts) become(names []string, start func(namespace string)) {
	p.mu.Lock()
	current := maps.Clone(p.current)
	p.mu.Unlock()
	for namespace, part := range current {
		if !slices.Contains(names, namespace) {
			p.remove(part)
			part.stop()
		}
	}
	for _, namespace := range names {
		if current[namespace] == nil {
			start(namespace)
			current[namespace] = &part{} // a name that is there twice counts once
		}
	}
}

// add returns a new part, and the one of the same namespace that has to end before, or nil.
func (p *parts) add(namespace string) (added, before *part) {
	added = &part{namespace: namespace, ended: make(chan struct{})}
	added.recorder.start()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current[namespace] = added
	return added, p.ending[namespace]
}

// remove takes a part out of the set.
func (p *parts) remove(part *part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.current, part.namespace)
	p.ending[part.namespace] = part
	status := part.recorder.get()
	p.past.count(&status)
}

// follow runs the reflector of a part, and has its objects deleted when it is removed.
func (p *parts) follow(ctx context.Context, part, before *part) error {
	if before != nil {
		<-before.ended
	}
	err := p.reflect(ctx, part)
	if p.removed(part) {
		p.push(delta{kind: replaced, from: part, list: &wholeList{cause: &namespaceLeft}})
	}
	close(part.ended)
	p.forget(part)
	return err
}

// removed reports whether a part is out of the set.
func (p *parts) removed(part *part) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current[part.namespace] != part
}

// forget forgets a part that has ended.
func (p *parts) forget(part *part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending[part.namespace] == part {
		delete(p.ending, part.namespace)
	}
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
	if !listed {
		klog.FromContext(ctx).V(2).Info("Namespace is refused, going on without it")
		p.push(delta{kind: withheld, from: part})
	}
}

// onRecovery returns Options.OnRecovery for all parts: an outage is over when each of them
// works again, but for those that the server refuses.
func (p *parts) onRecovery(report func(context.Context, int) bool) func(context.Context, int) bool {
	return func(ctx context.Context, failures int) bool {
		current, _ := p.statuses()
		for _, s := range current {
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
		part.listed = part.listed || d.kind == replaced
		part.version = newest(part.version, d.resourceVersion)
		switch d.kind {
		case set, deleted:
			part.recorder.received(1, 0)
		case bookmarked:
			part.recorder.received(0, 1)
		default:
			part.recorder.received(0, 0)
		}
	}
}

// version is the version that the store has reached in every namespace: "" if it has
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

// versionIn is the version that the store has reached in one namespace.
func (p *parts) versionIn(namespace string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if part := p.current[namespace]; part != nil {
		return part.version, nil
	}
	return "", fmt.Errorf("namespace %q is not one that the informer follows", namespace)
}

// newest returns the later one of two versions, or the second one if they can't be compared.
func newest(a, b string) string {
	if b == "" || older(b, a) {
		return a
	}
	return b
}

// statuses returns those of the parts, sorted by namespace, and the counters of those that
// were removed.
func (p *parts) statuses() (all []Status, past Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for namespace, part := range p.current {
		s := part.recorder.get()
		s.Name, s.Synced = namespace, part.listed
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return all, p.past
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

// join adds the statuses of parts to that of their informer: its phase and its failures
// are those of the part that is worst off.
func (s *Status) join(parts []Status, now time.Time) {
	s.Namespaces = parts
	for p := range parts {
		s.count(&parts[p])
	}
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
