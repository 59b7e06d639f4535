package cache

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/mutation"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/progress"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/queue"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// engine is the untyped part of an Informer, with the methods that do not depend on T. It is compiled once
// for all types.
type engine struct {
	source   Objects
	about    SourceInfo
	name     name
	options  settings
	store    Store[any]
	fanout   *fanout
	outage   outage.Reporter
	recorder statusRecorder
	scopes   *scopes
	// noWatchLists is set when a reflector of the informer gives up watch-lists for good.
	noWatchLists atomic.Bool
	// invalid says what is wrong with the options. It is nil in general.
	invalid error

	// synced is closed by fanout when the store holds the first list.
	synced <-chan struct{}
	// stopped is closed when the store has its last state, before Run waits for the handlers.
	stopped chan struct{}

	// started, stopped and listeners change with mu held, possibly as long as the store is locked. Methods
	// such as Status read them without mu.
	mu      sync.Mutex
	started atomic.Bool
	// listeners holds the handlers that were not removed, in the order in which they were added. The slice
	// is never mutated.
	listeners atomic.Pointer[[]*listener]
	// transforming has an element while Options.Transform runs.
	transforming chan struct{}
	// context is the context of Run without its end. Handlers log with it.
	context context.Context
	// running counts the goroutines of listeners.
	running sync.WaitGroup
}

// setUp sets up an engine for objects of the type of, unless the source knows their type.
func (e *engine) setUp(source Objects, of reflect.Type, options Options[any]) {
	if source != nil {
		e.source, e.about = source, source.Describe()
	}
	if e.about.Type != nil {
		of = e.about.Type
	}
	e.name.given = cmp.Or(options.Name, of.String())
	synced := make(chan struct{})
	e.options = settings{Options: options}
	e.synced, e.stopped, e.transforming = synced, make(chan struct{}), make(chan struct{}, 1)
	if e.outage.Log = options.Outages; e.about.Named { // otherwise each name would have a line
		e.outage.Log, e.outage.OfNames = new(outage.Log), true
	}
	store := &e.store.core
	store.setUp(of, objectkey.Of)
	store.complain = e.leftOut
	e.scopes = newScopes(&e.about, &e.outage)
	e.fanout = &fanout{store: store, clock: progress.NewClock(), received: e.scopes.received, synced: synced, listeners: map[*listener]bool{}}
	e.listeners.Store(new([]*listener))
	if err := store.addIndexes(options.Indexes); err != nil {
		e.invalid = e.errorf("%w", err)
	}
	switch {
	case source == nil:
		e.invalid = e.errorf("source: is nil")
	case e.about.Named && e.about.Excludes != nil:
		e.invalid = e.errorf("source of a set of names: selects a part of them; divide the names instead")
	}
}

func (e *engine) errorf(format string, args ...any) error {
	return fmt.Errorf("informer %q: "+format, append([]any{e.Name()}, args...)...)
}

// Status returns the status of the informer and its handlers. It waits neither for handlers nor for index
// functions.
func (e *engine) Status() Status {
	synced := closed(e.synced) // read first: if it is true, the store has all objects below
	s := e.recorder.get()
	s.Synced = synced
	if e.scopes.several() {
		e.describeScopes(&s)
	} else {
		s.DecodedByClient = decodedByClient(e.source)
	}
	s.Name = e.Name()
	s.leaveOut(e.store.core.leftOut.Reasons())
	s.leaveOut(e.store.core.unindexed.Reasons())
	s.Objects = e.store.Len()
	for _, l := range *e.listeners.Load() {
		s.Handlers = append(s.Handlers, l.registration.Status())
	}
	return s
}

// get is Informer.Get.
func (e *engine) get(ctx context.Context, key types.NamespacedName) (obj any, exists bool, err error) {
	switch {
	case e.about.Want != nil:
		e.about.Want(key)
		if why, _ := e.unknown(key); why != nil {
			return e.readLive(ctx, key, why)
		}
	case e.about.Named:
		if obj, exists = e.store.core.Get(key); exists {
			return obj, true, nil
		}
		if why, _ := e.unknown(key); why != nil {
			err = e.errorf("%w", why)
		}
	}
	if err != nil {
		return nil, false, err
	}
	if obj, exists, err = e.store.core.Find(key); err != nil { // an object that is known is in the store
		err = e.errorf("%w", err)
	}
	return obj, exists, err
}

// unknown returns why it is not known whether an object exists, and whether the server refuses it, so that
// waiting is of no use. why is nil if it is known.
func (e *engine) unknown(key types.NamespacedName) (why error, refused bool) {
	if !e.about.Named {
		return nil, false
	}
	return e.scopes.unknown(key)
}

// configure changes options before the start.
func (e *engine) configure(change func(*Options[any])) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started.Load() {
		return e.errorf("%w", failure.ErrStarted)
	}
	change(&e.options.Options)
	return nil
}

func (e *engine) addIndexes(indexes []Index[any]) error {
	if closed(e.stopped) {
		return e.errorf("%w", failure.ErrStopped)
	}
	if err := e.store.core.addIndexes(indexes); err != nil {
		return e.errorf("%w", err)
	}
	return nil
}

func (e *engine) addHandler(ctx context.Context, handler Handler[any], options HandlerOptions) (*Registration, error) {
	if e.invalid != nil {
		return nil, e.invalid
	}
	if ctx.Err() != nil {
		return nil, e.errorf("handler %q: %w", options.Name, context.Cause(ctx))
	}
	options.Resync = e.options.resyncOf(options.Resync)
	l := newListener(e.fanout, handler, options)
	l.registration.remove = func() { e.remove(l, nil) }
	l.expel = func(reason error) { e.expel(l, reason) }

	e.mu.Lock()
	defer e.mu.Unlock()
	if closed(e.stopped) {
		return nil, e.errorf("handler %q: %w", options.Name, failure.ErrStopped)
	}
	if ctx.Done() != nil {
		l.unbind = context.AfterFunc(ctx, l.registration.Remove)
	}
	e.fanout.add(l)
	all := append(*e.listeners.Load(), l) // beyond the length that readers of the slice see
	e.listeners.Store(&all)
	if e.started.Load() {
		e.start(l)
	}
	return l.registration, nil
}

// start runs a listener. The caller holds mu.
func (e *engine) start(l *listener) {
	e.running.Go(func() { l.run(e.context) })
}

// remove removes a listener, and reports whether it was registered. err is the reason, and nil if the user
// asked for the removal.
func (e *engine) remove(l *listener, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := *e.listeners.Load()
	at := slices.Index(all, l)
	if at < 0 {
		return false
	}
	all = slices.Concat(all[:at], all[at+1:])
	e.listeners.Store(&all)
	e.fanout.remove(l)
	l.unbind()
	l.stop()
	l.registration.removed(err)
	if !e.started.Load() {
		l.registration.end()
	}
	return true
}

// expel removes a listener for a reason, and logs it.
func (e *engine) expel(l *listener, reason error) {
	err := e.errorf("handler %q: %w", l.options.Name, reason)
	if e.remove(l, err) {
		klog.FromContext(l.context(e.context)).Error(err, "Handler removed")
	}
}

// enforceLimits enforces the limits of the handlers after a commit.
func (e *engine) enforceLimits() {
	for _, l := range *e.listeners.Load() {
		if l.options.Limit > 0 && l.enforceLimit() {
			e.expel(l, fmt.Errorf("%w: %d events wait", failure.ErrBacklogFull, l.waiting()))
		}
	}
}

// Run keeps the store up to date until ctx ends. It returns nil once every goroutine that it started has
// ended, so it waits for a handler that does not return. It logs with the logger of ctx, and adds the
// informer's name. Possible errors: failure.ErrStarted, since an informer runs once;
// failure.ErrIndexInvalid; failure.ErrIndexExists; and the failure after which Options.OnFailure stopped
// the informer.
func (e *engine) Run(ctx context.Context) error {
	if e.invalid != nil {
		return e.invalid
	}
	ctx = withName(ctx, &e.name)
	if err := e.begin(ctx); err != nil {
		return err
	}
	defer e.end()

	deltas := queue.New[delta](e.options.Metrics.queued)
	var pipeline sync.WaitGroup
	defer pipeline.Wait()
	pipeline.Go(func() { e.commit(deltas) })
	defer deltas.Close()
	// The reflector may end before ctx does.
	beside, stop := context.WithCancel(ctx)
	defer stop()
	if detector := e.fanout.detector; detector != nil {
		pipeline.Go(func() { detector.Run(beside) })
	}

	ctx = decoding.With(ctx, decoding.Request{Rename: e.name.improve, Judge: protocol.Doubt, Options: e.decoding()})
	if err := e.reflect(ctx, deltas); err != nil {
		return e.errorf("given up: %w", err)
	}
	return nil
}

// decoding returns the options by which objects are decoded for the store.
func (e *engine) decoding() decoding.Options {
	return decoding.Options{Exclusive: e.options.Transform != nil, DropManagedFields: e.options.DropManagedFields}
}

// reflect fills the queue until ctx ends. It returns a failure that stops the informer.
func (e *engine) reflect(ctx context.Context, deltas *queue.Queue[delta]) error {
	options := e.options
	options.Transform = oneAtATime(e.transforming, options.Transform)
	e.scopes.push, e.scopes.expect = deltas.Push, e.fanout.expect
	e.scopes.reflect = func(ctx context.Context, scope *scope) error {
		return e.newReflector(scope, &options, deltas).run(ctx)
	}
	return e.scopes.run(ctx, &scope{source: e.source, recorder: &e.recorder})
}

func (e *engine) newReflector(scope *scope, options *settings, deltas *queue.Queue[delta]) *reflector {
	about := scope.source.Describe()
	return &reflector{
		reporter: reporter{
			name: &e.name, about: &about, options: options, recorder: scope.recorder, outage: &e.outage,
			afterFailure: func(ctx context.Context, f *Failure) { e.scopes.failed(ctx, scope, f) },
			recovered:    func() bool { return e.scopes.recovered(scope) },
		},
		source: scope.source,
		scope:  scope,
		of:     e.store.core.of,
		push: func(d delta) {
			if d.kind == replaced {
				scope.delivered = true
			}
			d.from = scope
			scope.gate.pass(d, deltas.Push)
		},
		cached:    e.store.core.received,
		committed: deltas.Consumed,
		server:    protocol.Server{Same: protocol.SameContent},

		noWatchLists: &e.noWatchLists,
	}
}

// leftOut reports that an index function failed for an object.
func (e *engine) leftOut(err error) {
	e.recorder.objectError(err)
	logIndexError(err, "informer", e.Name())
}

func (e *engine) begin(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started.Load() {
		return e.errorf("%w", failure.ErrStarted)
	}
	e.context = context.WithoutCancel(ctx)
	e.recorder.start()
	e.started.Store(true)
	if mutation.Enabled() {
		e.fanout.detector = mutation.New(e.Name)
	}
	for _, l := range *e.listeners.Load() {
		e.start(l)
	}
	return nil
}

// end stops the handlers and waits for them. A handler call in progress may itself wait for the stop.
func (e *engine) end() {
	e.mu.Lock()
	e.recorder.enter(PhaseStopped)
	close(e.stopped)
	for _, l := range *e.listeners.Load() {
		l.unbind()
		l.stop()
	}
	e.mu.Unlock()
	e.running.Wait()
	for _, l := range *e.listeners.Load() {
		e.fanout.remove(l)
		l.forget()
	}
}

// batchLimit is the largest number of deltas in a commit. It bounds how long readers wait.
const batchLimit = 512

// commit moves deltas from the queue to the store until the queue is closed
// and empty.
func (e *engine) commit(deltas *queue.Queue[delta]) {
	committed := e.options.Metrics.Committed
	var popped []delta
	for {
		popped = deltas.Pop(popped)
		if len(popped) == 0 {
			return
		}
		for batch := range slices.Chunk(popped, batchLimit) {
			var began time.Time
			if committed != nil {
				began = time.Now()
			}
			e.fanout.now = e.fanout.clock.Millis()
			e.store.core.commit(batch, e.fanout)
			e.fanout.changed.Broadcast()
			e.enforceLimits()
			if committed != nil {
				committed(time.Since(began), e.store.ResourceVersion())
			}
		}
	}
}
