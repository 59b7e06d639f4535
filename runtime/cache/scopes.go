package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// scopes holds the scopes that an informer lists and watches: everything, or each namespace or object of a
// set that may change while it runs. Each scope has a reflector. If there is a set, each reflector runs in
// its own goroutine. All of them fill one store. When a scope leaves, its gate is closed, and then a delta
// removes its objects. Scopes come and go in the goroutine of run.
type scopes struct {
	about *SourceInfo
	// reflect follows a scope until ctx ends, or a failure ends it.
	reflect func(ctx context.Context, scope *scope) error
	push    func(delta)
	// expect is called once, with the scopes that make up the first content of the store.
	expect func([]*scope)
	outage *outage.Reporter

	mu sync.Mutex
	// current and byKey hold the scopes. They are nil before the start, and are replaced, never mutated.
	current []*scope
	byKey   map[types.NamespacedName]*scope
	// least is the scope with the oldest version. It is nil if that is not known.
	least *scope
	// failing holds the scopes whose failure was reported. A scope leaves it when it recovers, or when the
	// server refuses it.
	failing map[*scope]bool
	// past holds the counters of the scopes that have left.
	past Status
	// restarts is the sum of the restarts of all scopes, including the scopes that have left.
	restarts int
}

func newScopes(about *SourceInfo, outage *outage.Reporter) *scopes {
	return &scopes{about: about, outage: outage, failing: map[*scope]bool{}}
}

// several reports whether the informer follows a set of namespaces or names.
func (p *scopes) several() bool { return p.about.Scopes != nil }

// run runs the reflectors of all scopes until ctx ends, or until a failure stops the informer, which it
// returns. everything is the scope of an informer without a set.
func (p *scopes) run(ctx context.Context, everything *scope) error {
	defer p.outage.Stopped()
	if !p.several() {
		p.expect([]*scope{everything})
		p.become([]*scope{everything})
		return p.reflect(ctx, everything)
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	start := func(scope *scope) {
		var ofScope context.Context
		ofScope, scope.stop = context.WithCancel(scope.logger(ctx))
		scope.recorder.start()
		running.Go(func() {
			defer scope.stop()
			defer p.ended(ctx, scope)
			if err := p.reflect(ofScope, scope); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	first := true
	for {
		next, changed, err := p.next()
		if err != nil {
			return err
		}
		if first {
			p.expect(next)
		}
		first = false
		p.switchTo(next, start)
		select {
		case <-changed:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// next returns the scopes of the present set, and a channel that is closed when the set changes. Scopes
// that exist already are kept.
func (p *scopes) next() ([]*scope, <-chan struct{}, error) {
	keys, changed := p.about.Scopes()
	next := make([]*scope, 0, len(keys))
	taken := make(map[types.NamespacedName]bool, len(keys))
	for _, key := range keys {
		switch {
		case p.about.Named && key.Name == "":
			return nil, nil, errors.New(`name "" in a set of names: it stands for no object`)
		case !p.about.Named && key.Namespace == "":
			return nil, nil, errors.New(`namespace "" in a set of namespaces: it stands for all of them, which need a source of their own`)
		case taken[key]:
			continue
		}
		taken[key] = true
		one := p.byKey[key]
		if one == nil {
			one = &scope{source: p.about.In(key), key: key, recorder: new(statusRecorder)}
		}
		next = append(next, one)
	}
	return next, changed, nil
}

// switchTo replaces the scopes by next. Late deltas of scopes that have left are dropped, and the store's
// objects of these scopes are removed.
func (p *scopes) switchTo(next []*scope, start func(*scope)) {
	gone := p.become(next)
	for _, scope := range gone {
		scope.gate.close()
		scope.stop()
	}
	if len(gone) > 0 {
		why := cause.NamespaceLeft
		if p.about.Named {
			why = cause.Released
		}
		p.push(delta{kind: removed, list: &wholeList{gone: gone, cause: &cause.Cause{Kind: why}}})
	}
	for _, scope := range next {
		if scope.stop == nil {
			start(scope)
		}
	}
}

// become makes next the current scopes, and returns the scopes that have left. It adds their counters to
// the past at the same time, so that each status includes them.
func (p *scopes) become(next []*scope) (gone []*scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byKey := make(map[types.NamespacedName]*scope, len(next))
	for _, scope := range next {
		byKey[scope.key] = scope
	}
	for _, scope := range p.current {
		if byKey[scope.key] == nil {
			scope.left = true
			gone = append(gone, scope)
			s := scope.recorder.get()
			p.past.count(&s)
		}
	}
	p.current, p.byKey, p.least = next, byKey, nil
	return gone
}

// failed is called with each failure of a scope, in the scope's goroutine. A namespace or name that the
// server refuses is left out: neither the first content nor a version waits for it.
func (p *scopes) failed(ctx context.Context, s *scope, f *Failure) {
	if !p.several() || !p.leavesOut(s, f) {
		return
	}
	klog.FromContext(ctx).V(2).Info("Refused, going on without it")
	if !s.delivered { // otherwise the store keeps its objects
		s.gate.pass(delta{kind: removed, list: &wholeList{gone: []*scope{s}}}, p.push)
	}
}

// leavesOut notes a failure, and reports whether the scope is left out because of it.
func (p *scopes) leavesOut(scope *scope, f *Failure) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case protocol.Refuses(f.Err):
		scope.refusal = f.Err
		delete(p.failing, scope)
	case !f.expected():
		p.failing[scope] = true
	}
	if !scope.refusals.Failed(f.Err) {
		return false
	}
	p.least = nil
	return true
}

// recovered notes that a scope works again, and reports whether other scopes still fail. An outage is over
// when all scopes work again, except those that the server refuses.
func (p *scopes) recovered(scope *scope) (othersFail bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.failing, scope)
	return len(p.failing) > 0
}

// ended notes that the reflector of a scope has ended. If it was the last one that failed, the outage is
// over, unless ctx, the informer's context, has ended too.
func (p *scopes) ended(ctx context.Context, scope *scope) {
	p.mu.Lock()
	last := p.failing[scope] && len(p.failing) == 1
	delete(p.failing, scope)
	p.mu.Unlock()
	if last && ctx.Err() == nil {
		p.outage.Recovered()
	}
}

// received notes a batch that is about to be applied to the store, which is locked. Deltas of one scope in
// a row are noted together, since each note takes longer than the delta itself.
func (p *scopes) received(batch []delta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(batch) > 0 {
		from, n := batch[0].from, 0
		var events uint64
		for ; n < len(batch) && batch[n].from == from; n++ {
			if from != nil {
				p.reach(from, &batch[n])
			}
			events += batch[n].events()
		}
		if from != nil {
			from.recorder.received(events)
		}
		batch = batch[n:]
	}
}

// reach notes the version of a delta. The version of a list counts even if it is older: then the server's
// history has restarted. The caller holds mu.
func (p *scopes) reach(scope *scope, d *delta) {
	if d.kind == replaced {
		if protocol.Older(d.resourceVersion, scope.version) {
			scope.restarts++
			p.restarts++
		}
		scope.version = cmp.Or(d.resourceVersion, scope.version)
		scope.refusals = protocol.Refusals{}
		scope.sequence = d.list.sequence
		scope.listed.Store(true)
	} else {
		scope.version = protocol.Newest(scope.version, d.resourceVersion)
	}
	if scope == p.least || p.least != nil && protocol.Older(scope.version, p.least.version) {
		p.least = nil
	}
}

// behind returns the scope with the oldest version that is not left out, or nil. All waits for a version
// call it at each event, so it only searches if the scope may have changed. The caller holds mu.
func (p *scopes) behind() *scope {
	if p.least != nil {
		return p.least
	}
	for _, scope := range p.current {
		switch {
		case scope.refusals.LeftOut:
		case scope.version == "":
			p.least = scope
			return scope
		case p.least == nil || protocol.Older(scope.version, p.least.version):
			p.least = scope
		}
	}
	return p.least
}

// of returns the scope of an object, or nil. The caller holds mu.
func (p *scopes) of(key types.NamespacedName) *scope {
	switch {
	case !p.several():
		key = types.NamespacedName{}
	case !p.about.Named:
		key.Name = ""
	}
	return p.byKey[key]
}

// version returns the version that the store has reached in every scope that is not left out. It is "" if a
// scope was not listed yet.
func (p *scopes) version() string { return p.sight().Version }

// sourceOf returns the source of an object: everything, or the source of the object's scope.
func (p *scopes) sourceOf(key types.NamespacedName, everything Objects) (Objects, error) {
	if !p.several() {
		return everything, nil
	}
	if never := p.sightOf(key, nil).Never; never != nil {
		return nil, never
	}
	if !p.about.Named {
		key.Name = ""
	}
	return p.about.In(key), nil
}

// sight returns what a wait sees of all scopes together.
func (p *scopes) sight() (s protocol.Sight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	least := p.behind()
	s.Restarts, s.Gone = p.restarts, least == nil && p.byKey != nil
	if least != nil {
		s.Listed, s.Version = least.listed.Load() && !p.changed(), least.version
	}
	return s
}

// changed reports whether the source now selects other objects than for the latest list of a scope. The
// caller holds mu.
func (p *scopes) changed() bool {
	return p.about.Excludes != nil && slices.ContainsFunc(p.current, func(s *scope) bool { return s.sequence.Changed() })
}

// sightOf returns what a wait sees of an object's scope. If the object has no scope, or the server refuses
// the scope, the object never arrives. An object that the source did not select for the latest list is not
// listed.
func (p *scopes) sightOf(key types.NamespacedName, obj any) (s protocol.Sight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	scope := p.of(key)
	switch {
	case p.byKey == nil: // not started
		return s
	case scope == nil:
		s.Never = p.foreign(key)
		return s
	case scope.refusals.LeftOut:
		s.Never = fmt.Errorf("object %q: server refuses its namespace or name: %w", objectkey.String(key), scope.refusal)
	}
	s.Listed = scope.listed.Load() && !scope.sequence.Excludes(obj)
	s.Version, s.Restarts = scope.version, scope.restarts
	return s
}

// sightIn returns what a wait sees of a scope, which may have left.
func (p *scopes) sightIn(scope *scope) protocol.Sight {
	p.mu.Lock()
	defer p.mu.Unlock()
	return protocol.Sight{
		Gone: scope.left || scope.refusals.LeftOut, Listed: scope.listed.Load() && !scope.sequence.Changed(), Version: scope.version, Restarts: scope.restarts,
	}
}

// present returns the scopes, and the counters of the scopes that have left.
func (p *scopes) present() (all []*scope, past Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current, p.past
}

// served returns the scopes that are not left out.
func (p *scopes) served() (all []*scope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, scope := range p.current {
		if !scope.refusals.LeftOut {
			all = append(all, scope)
		}
	}
	return all
}

// foreign returns the error for an object that belongs to no scope.
func (p *scopes) foreign(key types.NamespacedName) error {
	if p.about.Named {
		return notFollowed(key)
	}
	return fmt.Errorf("namespace %q is not one that the informer follows", key.Namespace)
}

func notFollowed(key types.NamespacedName) error {
	return fmt.Errorf("object %q: %w: not one of the names that the informer follows", objectkey.String(key), failure.ErrUnknown)
}

// unknown returns the reason why the informer does not know whether the object of a name exists. why is nil
// if it knows. refused reports whether the server refuses the name, so that waiting is of no use.
func (p *scopes) unknown(key types.NamespacedName) (why error, refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey == nil {
		return fmt.Errorf("object %q: %w: informer was not started", objectkey.String(key), failure.ErrUnknown), false
	}
	scope := p.of(key)
	if scope == nil {
		return notFollowed(key), key.Name == "" // no set has an empty name
	}
	if scope.listed.Load() {
		return nil, false
	}
	err := scope.recorder.get().LastError
	if err == nil {
		return fmt.Errorf("object %q: %w: not listed yet", objectkey.String(key), failure.ErrUnknown), false
	}
	return fmt.Errorf("object %q: %w: not listed yet: %w", objectkey.String(key), failure.ErrUnknown, err), scope.refusals.LeftOut
}
