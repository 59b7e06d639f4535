package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// Informer keeps a Store in step with one resource of an API server, and tells
// handlers of its changes. Its methods are safe for concurrent use, also from
// within handlers.
//
// # What a handler may rely on
//
// A handler is called with one event after the other, and never concurrently.
// It is told of a change when the store and its indexes have made it, and finds
// there that state or a later one. The old object of an update is the object that
// it was last given. Handlers hold up neither each other nor the store.
//
// Of each object it is told in the order of the store, though not of states that
// the informer itself has not seen. After a gap, which a list has closed, it is
// told of deletions first, and then of the rest in the order of the list. A
// deletion that was missed comes with the last state that was known. A deletion
// and a creation that were both missed are one update, with another UID.
//
// A handler that joins late is given every object of the store as initial, and
// then every change since, none lost or doubled. After that nothing is initial.
//
// With a resync period it is given every object as an update with itself, at a
// point where it has seen all that the store has made of that object. Of a list
// that closes a gap it is told where it differs from the store, or of all of it if
// HandlerOptions.Unchanged asks for that.
//
// A handler that panics goes on with the next event after a second, unless
// HandlerOptions.OnPanic asks for something else.
//
// # What is shared
//
// Objects belong to the store and to all handlers: they are read-only.
//
// # Start and stop
//
// An informer runs once. Handlers and indexes may be added before the start and
// while it runs, but not after it; a transform and OnError only before. It is in
// sync when the store holds the first list, and never if it is stopped before. A
// handler may be removed at any time, and is not called again after the call that
// runs.
//
// When its context ends an informer asks for nothing more. What still waits for a
// handler is dropped. Run waits for calls of handlers that have not returned, and
// returns when all it has started has ended. The store keeps what it holds.
type Informer[T runtime.Object] struct {
	source  Source[T]
	options Options[T]
	store   *Store[T]
	fanout  *fanout[T]
	board   statusBoard
	// invalid is what is wrong with the options; nil in general.
	invalid error

	// synced is closed by fanout when the store holds the first list.
	synced <-chan struct{}
	// stopped is closed when Run ends.
	stopped chan struct{}

	// started, ended and roster change with mu held, which may be for as long as the
	// store is locked. What tells of the informer reads them without it.
	mu      sync.Mutex
	started atomic.Bool
	ended   atomic.Bool
	roster  atomic.Pointer[roster[T]]
	// context is that of Run, without its end: what handlers log with.
	context context.Context
	// running counts the goroutines of listeners.
	running sync.WaitGroup
}

// New returns an informer that is yet to be run. If the indexes of the options
// are invalid, Run, AddHandler and WaitForSync return ErrIndexInvalid or
// ErrIndexExists.
func New[T runtime.Object](source Source[T], options Options[T]) *Informer[T] {
	store := newStore(func(obj T) (types.NamespacedName, error) { return KeyOf(obj) })
	synced := make(chan struct{})
	i := &Informer[T]{
		source:  source,
		options: options,
		store:   store,
		fanout:  &fanout[T]{store: store, clock: clock{time.Now()}, synced: synced, listeners: map[*listener[T]]bool{}},
		synced:  synced,
		stopped: make(chan struct{}),
	}
	i.roster.Store(&roster[T]{})
	store.complain = i.leftOut
	if err := store.AddIndexes(options.Indexes...); err != nil {
		i.invalid = i.errorf("%w", err)
	}
	return i
}

func (i *Informer[T]) errorf(format string, args ...any) error {
	return fmt.Errorf("informer %q: "+format, append([]any{i.Name()}, args...)...)
}

// Name returns the name of the options, or that of T.
func (i *Informer[T]) Name() string { return i.options.name() }

// Store returns the store, which is empty until the informer is in sync.
func (i *Informer[T]) Store() *Store[T] { return i.store }

// Synced returns a channel that is closed when the store holds the first list.
// It stays open if the informer stops before.
func (i *Informer[T]) Synced() <-chan struct{} { return i.synced }

// Stopped returns a channel that is closed when Run has ended.
func (i *Informer[T]) Stopped() <-chan struct{} { return i.stopped }

// Started reports whether Run was called.
func (i *Informer[T]) Started() bool { return i.started.Load() }

// Status returns what the informer and its handlers are doing. It waits neither for
// handlers nor for index functions.
func (i *Informer[T]) Status() Status {
	s := i.board.get()
	s.Name = i.Name()
	s.Objects = i.store.Len()
	select {
	case <-i.synced:
		s.Synced = true
	default:
	}
	for _, r := range i.registrations() {
		s.Handlers = append(s.Handlers, r.Status())
	}
	return s
}

// ResourceVersion returns the latest that the informer has seen in a list or a
// watch, or "". The store may not have taken it in yet.
func (i *Informer[T]) ResourceVersion() string { return i.board.get().ResourceVersion }

// SetTransform sets Options.Transform. Possible errors: ErrStarted.
func (i *Informer[T]) SetTransform(transform func(T) (T, error)) error {
	return i.configure(func() { i.options.Transform = transform })
}

// SetOnError sets Options.OnError. Possible errors: ErrStarted.
func (i *Informer[T]) SetOnError(onError func(context.Context, error)) error {
	return i.configure(func() { i.options.OnError = onError })
}

func (i *Informer[T]) configure(change func()) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.started.Load() {
		return i.errorf("%w", ErrStarted)
	}
	change()
	return nil
}

// AddIndexes registers indexes, at any time before the end of Run. Possible
// errors: ErrStopped, ErrIndexInvalid, ErrIndexExists.
func (i *Informer[T]) AddIndexes(indexes ...Index[T]) error {
	if i.ended.Load() {
		return i.errorf("%w", ErrStopped)
	}
	if err := i.store.AddIndexes(indexes...); err != nil {
		return i.errorf("%w", err)
	}
	return nil
}

// AddHandler registers a handler, at any time before the end of Run. It is
// called as soon as the informer runs and the store holds the first list.
// The same handler may be added more than once. Possible errors: ErrStopped.
func (i *Informer[T]) AddHandler(handler Handler[T], options HandlerOptions) (*Registration, error) {
	return i.AddHandlerContext(context.Background(), handler, options)
}

// AddHandlerContext is AddHandler for a handler that is removed when ctx ends.
// Possible errors: ErrStopped, the cause of ctx if it has ended.
func (i *Informer[T]) AddHandlerContext(ctx context.Context, handler Handler[T], options HandlerOptions) (*Registration, error) {
	if i.invalid != nil {
		return nil, i.invalid
	}
	if options.Name == "" {
		options.Name = handlerName[T](handler)
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
	l.unbind = context.AfterFunc(ctx, l.registration.Remove)
	i.fanout.add(l)
	i.roster.Store(i.roster.Load().with(l))
	if i.started.Load() {
		i.start(l)
	}
	return l.registration, nil
}

// start runs a listener. The caller holds mu.
func (i *Informer[T]) start(l *listener[T]) {
	ctx := l.context(i.context)
	i.running.Go(func() { l.run(ctx) })
}

// remove removes a listener, and reports whether it was there. The error is why, if
// nobody asked for it.
func (i *Informer[T]) remove(l *listener[T], err error) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	roster := i.roster.Load()
	if !slices.Contains(roster.all, l) {
		return false
	}
	i.roster.Store(roster.without(l))
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
func (i *Informer[T]) expel(l *listener[T], reason error) {
	err := i.errorf("handler %q: %w", l.options.Name, reason)
	if i.remove(l, err) {
		klog.FromContext(l.context(i.context)).Error(err, "Handler removed")
	}
}

// enforceLimits looks after the handlers that are behind with what was committed.
func (i *Informer[T]) enforceLimits() {
	for _, l := range i.roster.Load().limited {
		if l.enforceLimit() {
			i.expel(l, fmt.Errorf("%w: %d events wait", ErrBacklogFull, l.waiting()))
		}
	}
}

// Run keeps the store in step until ctx ends, and then returns nil once every
// goroutine that it started has ended. A handler that does not return keeps it
// waiting. The logger of ctx is used, with the name of the informer. Possible
// errors: ErrStarted, since an informer runs once, ErrIndexInvalid,
// ErrIndexExists, and the failure at which Options.OnFailure had it stop.
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.invalid != nil {
		return i.invalid
	}
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("informer", i.Name()))
	if err := i.begin(ctx); err != nil {
		return err
	}
	defer i.end()

	deltas := newQueue[T](i.options.Metrics.queued)
	var pipeline sync.WaitGroup
	defer pipeline.Wait()
	pipeline.Go(func() { i.commit(deltas) })
	defer deltas.close()
	if detector := i.fanout.detector; detector != nil {
		// The reflector may end before ctx does.
		checking, stop := context.WithCancel(ctx)
		defer stop()
		pipeline.Go(func() { detector.run(checking) })
	}

	reflector := &reflector[T]{
		source:    i.source,
		options:   &i.options,
		push:      deltas.push,
		cached:    func(it item[T]) (T, bool) { return i.store.Get(it.key) },
		committed: deltas.consumed,
		board:     &i.board,
	}
	if err := reflector.run(ctx); err != nil {
		return i.errorf("given up: %w", err)
	}
	return nil
}

// leftOut reports an object that an index function failed on.
func (i *Informer[T]) leftOut(err error) {
	i.board.leftOut(err)
	logIndexError(err, "informer", i.Name())
}

func (i *Informer[T]) begin(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.started.Load() {
		return i.errorf("%w", ErrStarted)
	}
	i.context = context.WithoutCancel(ctx)
	i.started.Store(true)
	if mutationDetection() {
		i.fanout.detector = newMutationDetector[T](i.Name())
	}
	i.board.start()
	for _, l := range i.roster.Load().all {
		i.start(l)
	}
	return nil
}

// end stops the handlers and waits for them.
func (i *Informer[T]) end() {
	i.mu.Lock()
	i.ended.Store(true)
	for _, l := range i.roster.Load().all {
		l.unbind()
		l.stop()
	}
	i.mu.Unlock()
	i.running.Wait()
	for _, l := range i.roster.Load().all {
		i.fanout.remove(l)
		l.release()
	}
	i.board.enter(Stopped)
	close(i.stopped)
}

// heard notes that deltas went into the store. To note each one as it comes would
// take longer than to decide what it is.
func (i *Informer[T]) heard(batch []delta[T]) {
	var events, bookmarks bool
	for d := range batch {
		switch batch[d].kind {
		case set, deleted:
			events = true
		case bookmarked:
			bookmarks = true
		}
	}
	i.board.heard(events, bookmarks)
}

// commit moves deltas from the queue to the store until the queue is closed
// and empty.
func (i *Informer[T]) commit(deltas *queue[T]) {
	var popped []delta[T]
	for {
		popped = deltas.pop(popped)
		if len(popped) == 0 {
			return
		}
		for batch := range slices.Chunk(popped, batchLimit) {
			began := i.options.Metrics.now()
			i.fanout.now = i.fanout.clock.millis()
			i.store.commit(batch, i.fanout)
			i.fanout.changed.ring()
			i.enforceLimits()
			i.heard(batch)
			i.options.Metrics.committed(began, i.store.ResourceVersion)
		}
	}
}
