package cache

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/mutation"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/progress"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/queue"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// engine is the untyped part of an Informer: it is compiled once for all types.
type engine struct {
	source Objects
	about  SourceInfo
	// check returns an error for an object of another type.
	check    func(obj any) error
	options  settings
	store    Store[any]
	fanout   *fanout
	outage   outage.Reporter
	recorder statusRecorder
	// branches are those of a source of several namespaces; nil in general.
	branches *branchSet
	// invalid is the error in the options; nil in general.
	invalid error

	// synced is closed by fanout when the store holds the first list.
	synced <-chan struct{}
	// stopped is closed when Run ends.
	stopped chan struct{}

	// started, ended and listeners change with mu held, which may be for as long as the
	// store is locked. Methods such as Status read them without it.
	mu      sync.Mutex
	started atomic.Bool
	ended   atomic.Bool
	// listeners are those that were not removed, in the order in which they were added. What
	// a slice holds does not change.
	listeners atomic.Pointer[[]*listener]
	// context is that of Run, without its end: what handlers log with.
	context context.Context
	// running counts the goroutines of listeners.
	running sync.WaitGroup
}

// setUp makes an engine for objects of the type of, unless the source knows theirs. Check
// returns a function that returns an error for objects of another type.
func (i *engine) setUp(source Objects, of reflect.Type, check func(objects reflect.Type) func(any) error, options Options[any]) {
	if source != nil {
		i.source, i.about = source, source.Describe()
	}
	if i.about.Type != nil {
		of = i.about.Type
	}
	options.Name = cmp.Or(options.Name, of.String())
	synced := make(chan struct{})
	i.check, i.options = check(of), settings{Options: options}
	i.synced, i.stopped = synced, make(chan struct{})
	i.outage.Log = options.Outages
	store := &i.store.core
	store.setUp(of, objectkey.Of)
	store.complain = i.leftOut
	i.fanout = &fanout{store: store, clock: progress.NewClock(), received: i.received, synced: synced, listeners: map[*listener]bool{}}
	i.listeners.Store(new([]*listener))
	if err := store.addIndexes(options.Indexes); err != nil {
		i.invalid = i.errorf("%w", err)
	}
	switch namespaces := i.about.Namespaces != nil; {
	case source == nil:
		i.invalid = i.errorf("source: is nil")
	case namespaces && options.Shard != nil:
		i.invalid = i.errorf("%w: source of several namespaces: divide the objects by namespace instead", shard.ErrInvalid)
	case namespaces:
		i.branches = newBranchSet(&namespacePlan{about: &i.about, objects: store.indexed})
	case options.Shard != nil:
		i.branches = newBranchSet(&shardPlan{shard: options.Shard, source: source})
	}
}

func (i *engine) errorf(format string, args ...any) error {
	return fmt.Errorf("informer %q: "+format, append([]any{i.options.Name}, args...)...)
}

// status reads what is announced before what that says of the store: an informer that is in
// sync has all its objects.
func (i *engine) status() Status {
	synced := false
	select {
	case <-i.synced:
		synced = true
	default:
	}
	s := i.recorder.get()
	s.Synced = synced
	if i.branches != nil {
		i.branches.describe(&s)
		s.ResourceVersion, _ = i.version()
	} else {
		s.DecodedByClient = decodedByClient(i.source)
	}
	s.Name = i.options.Name
	s.leaveOut(i.store.core.unindexed.Reasons())
	s.Objects = i.store.Len()
	for _, r := range i.registrations() {
		s.Handlers = append(s.Handlers, r.Status())
	}
	return s
}

// registrations returns those of the handlers that were not removed.
func (i *engine) registrations() []*Registration {
	var all []*Registration
	for _, l := range *i.listeners.Load() {
		all = append(all, l.registration)
	}
	return all
}

// version returns the version that the store has reached. Awaited is false if it has nothing
// to wait for: no namespace, or none that the server does not refuse.
func (i *engine) version() (version string, awaited bool) {
	if i.branches != nil {
		return i.branches.version()
	}
	return i.store.ResourceVersion(), true
}

// versionOf returns the version that counts for an object.
func (i *engine) versionOf(obj metav1.Object) (string, error) {
	if i.branches != nil {
		return i.branches.versionOf(obj)
	}
	return i.store.ResourceVersion(), nil
}

// configure changes options before the start.
func (i *engine) configure(change func(*Options[any])) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.started.Load() {
		return i.errorf("%w", ErrStarted)
	}
	change(&i.options.Options)
	return nil
}

func (i *engine) addIndexes(indexes []Index[any]) error {
	if i.ended.Load() {
		return i.errorf("%w", ErrStopped)
	}
	if err := i.store.core.addIndexes(indexes); err != nil {
		return i.errorf("%w", err)
	}
	return nil
}

func (i *engine) addHandler(ctx context.Context, handler Handler[any], options HandlerOptions) (*Registration, error) {
	if i.invalid != nil {
		return nil, i.invalid
	}
	if ctx.Err() != nil {
		return nil, i.errorf("handler %q: %w", options.Name, context.Cause(ctx))
	}
	options.Resync = i.options.resyncOf(options.Resync)
	l := newListener(i.fanout, handler, options)
	l.registration.remove = func() { i.remove(l, nil) }
	l.expel = func(reason error) { i.expel(l, reason) }

	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended.Load() {
		return nil, i.errorf("handler %q: %w", options.Name, ErrStopped)
	}
	if ctx.Done() != nil {
		l.unbind = context.AfterFunc(ctx, l.registration.Remove)
	}
	i.fanout.add(l)
	all := append(*i.listeners.Load(), l) // behind what readers of the slice see
	i.listeners.Store(&all)
	if i.started.Load() {
		i.start(l)
	}
	return l.registration, nil
}

// start runs a listener. The caller holds mu.
func (i *engine) start(l *listener) {
	i.running.Go(func() { l.run(i.context) })
}

// remove removes a listener, and reports whether it was there. The error is why, if
// nobody asked for it.
func (i *engine) remove(l *listener, err error) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := *i.listeners.Load()
	at := slices.Index(all, l)
	if at < 0 {
		return false
	}
	all = slices.Concat(all[:at], all[at+1:])
	i.listeners.Store(&all)
	i.fanout.remove(l)
	l.unbind()
	l.stop()
	l.registration.removed(err)
	if !i.started.Load() {
		l.registration.end()
	}
	return true
}

// expel removes a listener for a reason, and logs it.
func (i *engine) expel(l *listener, reason error) {
	err := i.errorf("handler %q: %w", l.options.Name, reason)
	if i.remove(l, err) {
		klog.FromContext(l.context(i.context)).Error(err, "Handler removed")
	}
}

// enforceLimits looks after the handlers that are behind with what was committed.
func (i *engine) enforceLimits() {
	for _, l := range *i.listeners.Load() {
		if l.options.Limit > 0 && l.enforceLimit() {
			i.expel(l, fmt.Errorf("%w: %d events wait", ErrBacklogFull, l.waiting()))
		}
	}
}

// run is Informer.Run.
func (i *engine) run(ctx context.Context) error {
	if i.invalid != nil {
		return i.invalid
	}
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("informer", i.options.Name))
	if err := i.begin(ctx); err != nil {
		return err
	}
	defer i.end()

	deltas := queue.New[delta](i.options.Metrics.queued)
	var pipeline sync.WaitGroup
	defer pipeline.Wait()
	pipeline.Go(func() { i.commit(deltas) })
	defer deltas.Close()
	// The reflector may end before ctx does.
	beside, stop := context.WithCancel(ctx)
	defer stop()
	if detector := i.fanout.detector; detector != nil {
		pipeline.Go(func() { detector.Run(beside) })
	}

	ctx = decoding.With(ctx, decoding.Request{Options: decoding.Options{
		Exclusive:         i.options.Transform != nil,
		DropManagedFields: i.options.DropManagedFields,
	}})
	if err := i.reflect(ctx, deltas); err != nil {
		return i.errorf("given up: %w", err)
	}
	return nil
}

// reflect fills the queue until ctx ends, or a failure is to end it, which it returns.
func (i *engine) reflect(ctx context.Context, deltas *queue.Queue[delta]) error {
	options := i.options
	options.Transform = oneAtATime(options.Transform)
	if i.branches == nil {
		return i.newReflector(i.source, &i.about, &options, deltas, &i.recorder).run(ctx)
	}
	i.branches.push, i.branches.expect = deltas.Push, i.fanout.expect
	i.branches.reflect = func(ctx context.Context, branch *branch) error {
		about, options := branch.source.Describe(), options
		r := i.newReflector(branch.source, &about, &options, deltas, &branch.recorder)
		r.namespace, r.filter = branch.namespace, branch.filter
		r.push = func(d delta) {
			d.from = branch
			deltas.Push(d)
		}
		r.othersFail = func() bool { return i.branches.recovered(branch) }
		r.afterFailure = func(ctx context.Context, f *Failure) { i.branches.failed(ctx, branch, f) }
		if before := branch.before; before != nil {
			branch.before = nil // or each branch would keep the one before it
			<-before.ended
			r.serverFacts = before.learned
		}
		err := r.run(ctx)
		branch.learned = r.learned()
		return err
	}
	return i.branches.run(ctx)
}

func (i *engine) newReflector(source Objects, about *SourceInfo, options *settings, deltas *queue.Queue[delta], recorder *statusRecorder) *reflector {
	return &reflector{
		reporter:    reporter{about: about, options: options, recorder: recorder, outage: &i.outage},
		source:      source,
		check:       i.check,
		push:        deltas.Push,
		cached:      i.store.core.Get,
		committed:   deltas.Consumed,
		serverFacts: serverFacts{same: protocol.SameContent},
	}
}

// leftOut reports an object that an index function failed on.
func (i *engine) leftOut(err error) {
	i.recorder.objectError(err)
	logIndexError(err, "informer", i.options.Name)
}

func (i *engine) begin(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.started.Load() {
		return i.errorf("%w", ErrStarted)
	}
	i.context = context.WithoutCancel(ctx)
	i.recorder.start()
	i.started.Store(true)
	if mutation.Enabled() {
		i.fanout.detector = mutation.New(i.options.Name)
	}
	for _, l := range *i.listeners.Load() {
		i.start(l)
	}
	return nil
}

// end stops the handlers and waits for them.
func (i *engine) end() {
	i.mu.Lock()
	i.ended.Store(true)
	for _, l := range *i.listeners.Load() {
		l.unbind()
		l.stop()
	}
	i.mu.Unlock()
	i.running.Wait()
	for _, l := range *i.listeners.Load() {
		i.fanout.remove(l)
		l.forget()
	}
	i.recorder.enter(PhaseStopped)
	close(i.stopped)
}

// received notes deltas that the store takes, while it is locked for that: to note each one
// as it comes would take longer than to decide what it is.
func (i *engine) received(batch []delta) {
	if i.branches != nil {
		i.branches.received(batch)
		return
	}
	var events, bookmarks uint64
	for i := range batch {
		e, b := batch[i].counts()
		events, bookmarks = events+e, bookmarks+b
	}
	i.recorder.received(events, bookmarks)
}

// batchLimit is the largest number of deltas in a commit. It bounds how long readers wait.
const batchLimit = 512

// commit moves deltas from the queue to the store until the queue is closed
// and empty.
func (i *engine) commit(deltas *queue.Queue[delta]) {
	var popped []delta
	for {
		popped = deltas.Pop(popped)
		if len(popped) == 0 {
			return
		}
		for batch := range slices.Chunk(popped, batchLimit) {
			began := i.options.Metrics.now()
			i.fanout.now = i.fanout.clock.Millis()
			i.store.core.commit(batch, i.fanout)
			i.fanout.changed.Broadcast()
			i.enforceLimits()
			i.options.Metrics.committed(began, i.store.ResourceVersion)
		}
	}
}
