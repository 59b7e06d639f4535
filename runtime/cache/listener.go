package cache

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/progress"
)

const (
	// defaultCoalesceLimit limits how many events may wait for a coalescing handler before they
	// are merged.
	defaultCoalesceLimit = 1024
	// panicPause is the backoff of a handler after a panic. When the same event
	// is retried, the backoff doubles from panic to panic up to longestPanicPause.
	panicPause        = time.Second
	longestPanicPause = time.Minute
)

// errHandlerExited is the reason for the removal of a handler that ended the goroutine that calls it. It
// called runtime.Goexit, for example through FailNow of a testing.T.
var errHandlerExited = errors.New("ended its goroutine by runtime.Goexit")

// listener calls one handler, in one goroutine: first with the objects that the store held when it joined,
// then with each event of the log.
type listener struct {
	registration *Registration
	handler      Handler[any]
	// batch is the handler if it takes events in batches, and nil otherwise.
	batch   batch
	options HandlerOptions
	fanout  *fanout
	// log is the log of fanout that has the events for the handler.
	log *eventlog.Log
	// expel removes the handler, and logs why.
	expel func(reason error)

	// initial, cause, cursor and open are set when the listener joins, with the store locked,
	// before fanout.synced is closed or the listener is started. Until then its goroutine
	// may not touch them.
	initial Snapshot[any]
	// open is guarded by the store's lock: the log counts the cursor.
	open bool

	cursor eventlog.Cursor
	// merger reads the cursor if the handler coalesces; nil otherwise.
	merger *eventlog.Merger
	// exempted is the position in the log before which events do not count toward the limit. Only the
	// committing goroutine uses it.
	exempted uint64

	// due delivers a value when a resync is due. It is nil if there are no resyncs. A panic does not delay
	// it.
	due <-chan time.Time
	// resynced holds the rest of a resync, which follows the events before the position resyncAt.
	resynced Snapshot[any]
	resyncAt uint64
	// current is the event of the handler's last call. again is set if the handler must be called with it
	// once more.
	current *eventlog.Event
	again   bool
	// own holds an event that is not in the log.
	own eventlog.Event
	// cause is the cause of the current event, unless the event is Watched.
	cause *cause.Cause
	// pause is the next backoff after a panic if the same event is retried. Zero means the first one.
	pause time.Duration
	// panicked reports whether the last call of work ended in a panic.
	panicked bool
	progress *progress.Meter
	// toReplay counts the initial objects that the handler has not got yet.
	toReplay atomic.Int64

	// unbind ends the listener's tie to the handler's context, if that can end.
	unbind func() bool

	stopping atomic.Bool
	// quit is closed by stop.
	quit chan struct{}
}

func newListener(f *fanout, h Handler[any], options HandlerOptions) *listener {
	l := &listener{
		handler:  h,
		options:  options,
		fanout:   f,
		log:      &f.logs.Changes,
		quit:     make(chan struct{}),
		progress: progress.New(&f.clock),
		unbind:   func() bool { return false },
	}
	if options.Unchanged {
		l.log = &f.logs.Everything
	}
	if l.batch, _ = h.(batch); l.batch != nil {
		l.options.Cause = l.batch.cause()
	}
	if options.Coalesce {
		l.merger = eventlog.NewMerger(&l.cursor)
		if options.Limit <= 0 {
			l.options.Limit = defaultCoalesceLimit
		}
	}
	l.registration = &Registration{
		name:   options.Name,
		status: l.status,
		synced: make(chan struct{}),
		done:   make(chan struct{}),
	}
	return l
}

// stop makes run end as soon as the handler returns.
func (l *listener) stop() {
	if l.stopping.CompareAndSwap(false, true) {
		close(l.quit)
		if l.merger != nil {
			l.merger.Forget()
		}
	}
}

// context returns ctx with the handler's logger, which has the handler's name.
func (l *listener) context(ctx context.Context) context.Context {
	logger := klog.FromContext(ctx)
	if l.options.Logger != nil {
		logger = *l.options.Logger
	}
	return klog.NewContext(ctx, logger.WithValues("handler", l.options.Name))
}

// run calls the handler until stop is called or the handler ends the goroutine. ctx is the informer's, for
// its logger.
func (l *listener) run(ctx context.Context) {
	stopped := false
	defer func() {
		if !stopped && !l.panicked {
			l.progress.Called()
			l.expel(errHandlerExited)
		}
		l.progress.Idle()
		l.registration.end()
	}()
	select {
	case <-l.fanout.synced:
		for !l.work(ctx) {
			select {
			case <-time.After(l.pauseAfterPanic()):
			case <-l.quit:
			}
		}
	case <-l.quit:
	}
	stopped = true
}

// forget drops the references to the handler and all objects. The goroutine has ended, and nothing commits
// any more.
func (l *listener) forget() {
	l.handler, l.batch, l.options.Cause = nil, nil, nil
	l.initial, l.resynced = Snapshot[any]{}, Snapshot[any]{}
	l.current, l.own, l.cause, l.due = nil, eventlog.Event{}, nil, nil
}

// work calls the handler until it panics or stop is called. It reports whether stop was called. A handler
// that calls runtime.Goexit ends work and run too.
func (l *listener) work(ctx context.Context) (stopped bool) {
	l.panicked = false
	if l.options.OnPanic == failure.PanicCrash {
		defer utilruntime.HandleCrashWithContext(l.crashContext(ctx), l.interrupted, l.logCrash(ctx))
	} else {
		defer l.logPanic(ctx)
	}
	if !l.replay() {
		return true
	}
	if l.options.Resync > 0 && l.due == nil {
		l.due = time.Tick(l.options.Resync)
	}
	for !l.stopping.Load() {
		if l.deliver(eventlog.SegmentSize) {
			select {
			case <-l.due:
				l.resync()
			default:
			}
			continue
		}
		changed := l.fanout.changed.Next()
		if l.ready() {
			continue
		}
		l.progress.Idle()
		select {
		case <-changed:
		case <-l.due:
			l.resync()
		case <-l.quit:
		}
	}
	return true
}

func (l *listener) logPanic(ctx context.Context) {
	if value := recover(); value != nil {
		err := &failure.PanicError{Value: value, Stack: debug.Stack()}
		klog.FromContext(l.context(ctx)).Error(err, "Handler panicked")
		l.interrupted(ctx, value)
	}
}

// crashContext returns ctx with the logger for HandleCrash's line about a panic: the handler's own logger,
// unchanged, so that the line is the same as client-go's.
func (l *listener) crashContext(ctx context.Context) context.Context {
	if l.options.Logger == nil {
		return l.context(ctx)
	}
	return klog.NewContext(ctx, *l.options.Logger)
}

// logCrash returns a function that logs the name of a handler that has panicked.
func (l *listener) logCrash(ctx context.Context) func(context.Context, any) {
	return func(context.Context, any) { klog.FromContext(l.context(ctx)).Error(nil, "Handler panicked") }
}

// interrupted notes a call that ended in a panic, and whether it must be repeated.
func (l *listener) interrupted(context.Context, any) {
	l.panicked = true
	l.progress.Panicked()
	l.again = l.options.OnPanic == failure.PanicRetry
	if l.batch != nil && !l.again {
		l.batch.drop()
	}
}

// pauseAfterPanic returns the backoff of the handler after a panic.
func (l *listener) pauseAfterPanic() time.Duration {
	pause := panicPause
	if l.again {
		pause = max(l.pause, panicPause)
		l.pause = min(2*pause, longestPanicPause)
	}
	return pause
}

// replay calls the handler with the events that a panic interrupted, and with the objects that the store
// held when the listener joined. It reports whether it got to the end.
func (l *listener) replay() bool {
	if l.again && !l.stopping.Load() {
		if l.batch == nil {
			l.call(l.current)
		}
		l.flush()
		l.again, l.pause = false, 0
	}
	for l.initial.Len() > 0 && !l.stopping.Load() {
		l.own = eventlog.Event{Kind: eventlog.Initial, Object: l.initial.next()}
		l.call(&l.own)
		if l.initial.Len()%eventlog.SegmentSize == 0 {
			l.flush()
		}
		l.toReplay.Store(int64(l.initial.Len()))
	}
	if l.stopping.Load() {
		return false
	}
	l.initial = Snapshot[any]{}
	l.toReplay.Store(0)
	l.registration.complete()
	l.continueResync()
	return true
}

// flush passes the collected events to a handler that takes batches.
func (l *listener) flush() {
	if l.batch != nil {
		l.batch.flush()
	}
}

// deliver calls the handler for the events that are ready, up to limit, and reports whether there were any.
func (l *listener) deliver(limit int) bool {
	if l.merger != nil {
		return l.deliverMerged(limit)
	}
	ready := min(l.cursor.Ready(), limit)
	l.cause = l.cursor.Cause()
	for range ready {
		if l.stopping.Load() {
			break
		}
		if l.progress.Due() {
			l.cursor.Publish()
		}
		e := l.cursor.Next()
		if e == nil {
			break // removed
		}
		l.call(e)
	}
	l.flush()
	l.cursor.Publish()
	return ready > 0
}

// deliverMerged is deliver for a handler that coalesces.
func (l *listener) deliverMerged(limit int) bool {
	n := 0
	for n < limit && !l.stopping.Load() {
		var ok bool
		if l.own, l.cause, ok = l.merger.Take(); !ok {
			break
		}
		l.call(&l.own)
		n++
	}
	l.flush()
	return n > 0
}

// ready reports whether there is something to deliver.
func (l *listener) ready() bool {
	if l.merger != nil {
		return l.merger.Ready()
	}
	return l.cursor.Ready() > 0
}

func (l *listener) call(e *eventlog.Event) {
	if l.progress.Due() {
		l.progress.Step(e.At)
	}
	l.current = e
	if l.options.Cause != nil {
		*l.options.Cause = *e.Cause(l.cause)
	}
	switch e.Kind {
	case eventlog.Initial:
		l.handler.OnAdd(e.Object, true)
	case eventlog.Added:
		l.handler.OnAdd(e.Object, false)
	case eventlog.Updated:
		l.handler.OnUpdate(e.Old, e.Object)
	case eventlog.Deleted:
		if e.Cause(l.cause).Kind == cause.Released {
			release(l.handler, e.Object)
			break
		}
		l.handler.OnDelete(e.Object, e.FinalStateUnknown)
	case eventlog.Unchanged:
		l.handler.OnUpdate(e.Object, e.Object)
	}
	l.progress.Called()
}

// resync updates every object of the store with itself. It does so between two events, when the store's
// objects are the last ones that the handler got.
func (l *listener) resync() {
	for {
		l.resynced, l.resyncAt = l.fanout.position(l.log)
		// A commit may have merged later events.
		if l.merger == nil || l.merger.Hold(l.resyncAt) {
			break
		}
	}
	l.continueResync()
}

// continueResync delivers the events before a resync and the rest of the resync, if there is one.
func (l *listener) continueResync() {
	if !l.catchUp() {
		l.resynced = Snapshot[any]{}
		return
	}
	l.deliverResync()
	if l.merger != nil {
		l.merger.Resume()
	}
}

// catchUp delivers the events before the resync, and reports whether the handler has got all of them.
func (l *listener) catchUp() bool {
	if l.merger != nil {
		return l.catchUpMerged()
	}
	for l.cursor.Passed() < l.resyncAt && !l.stopping.Load() {
		l.deliver(min(eventlog.SegmentSize, int(l.resyncAt-l.cursor.Passed())))
	}
	return !l.stopping.Load()
}

// catchUpMerged is catchUp for a handler that coalesces.
func (l *listener) catchUpMerged() bool {
	for !l.merger.Reached() && !l.stopping.Load() {
		l.deliverMerged(eventlog.SegmentSize)
	}
	return !l.stopping.Load()
}

// resyncDue is the cause of a resync.
var resyncDue = cause.Cause{Kind: cause.Resync}

// deliverResync updates the remaining objects of a resync with themselves.
func (l *listener) deliverResync() {
	l.cause = &resyncDue
	for l.resynced.Len() > 0 && !l.stopping.Load() {
		obj := l.resynced.next()
		l.own = eventlog.Event{Kind: eventlog.Updated, At: l.fanout.clock.Millis(), Old: obj, Object: obj}
		l.call(&l.own)
		if l.resynced.Len()%eventlog.SegmentSize == 0 {
			l.flush()
		}
	}
	l.resynced = Snapshot[any]{}
}

// backlog returns the number of events and initial objects that wait for the handler. It is 0 once the
// handler must stop.
func (l *listener) backlog() int {
	if l.stopping.Load() {
		return 0
	}
	// Read in the order in which events move on, so that a moving event is counted at least once.
	waiting := l.waiting() + l.toReplay.Load()
	if l.merger != nil {
		waiting += l.merger.Pending()
	}
	return int(waiting)
}

// waiting returns the number of events in the log that wait for the handler.
func (l *listener) waiting() int64 { return l.behind(0) }

// behind is waiting without the events before a position in the log.
func (l *listener) behind(position uint64) int64 {
	if !closed(l.fanout.synced) {
		return 0
	}
	passed := max(l.cursor.Published(), position) // read before the length, which is never less
	return int64(l.log.Len() - passed)
}

// enforceLimit is called by the committing goroutine after a commit. If more events than the limit wait for
// a handler that coalesces, it merges them. For any other handler it reports whether it must be removed.
func (l *listener) enforceLimit() (remove bool) {
	limit := int64(l.options.Limit)
	if l.merger == nil {
		return l.behind(l.exempted) > limit
	}
	if l.waiting() > limit {
		l.merger.Merge(l.fanout.store.key)
	}
	return false
}

// exempt is called by the committing goroutine after each relist but the first, with the store locked.
// Events that wait for the handler then do not count toward its limit: they came at once, however quick the
// handler is. If the handler is still behind the relist before, nothing new is exempted. Otherwise a stuck
// handler would be exempt for ever.
func (l *listener) exempt() {
	if l.cursor.Published() >= l.exempted {
		l.exempted = l.log.End()
	}
}

// status returns the handler's status. It takes no lock, so that it never waits for the handler.
func (l *listener) status() HandlerStatus {
	backlog := l.backlog() // read before the calls that shorten it are counted
	read := l.progress.Read()
	s := HandlerStatus{
		Name:        l.options.Name,
		Backlog:     backlog,
		Delivered:   read.Delivered,
		LongestCall: read.Longest,
		Panics:      read.Panics,
		LastPanic:   read.LastPanic,
	}
	if l.toReplay.Load() == 0 {
		s.Lag = read.Lag
	}
	return s
}
