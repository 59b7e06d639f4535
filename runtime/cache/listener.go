package cache

import (
	"context"
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

// listener calls one handler, in one goroutine: first with what the store held
// when it joined, then with each event of the log.
type listener struct {
	registration *Registration
	handler      Handler[any]
	// batch is the handler if it takes events in batches, and nil otherwise.
	batch   batch
	options HandlerOptions
	fanout  *fanout
	// log is that of fanout which has the events for the handler.
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
	// exempted is the position in the log before which events do not count toward the
	// limit. It belongs to the goroutine that commits.
	exempted uint64

	// due has a value when a resync is due; nil if there are none. A panic does not delay it.
	due <-chan time.Time
	// resynced holds what is left of a resync, which comes after the events before the position
	// resyncAt.
	resynced Snapshot[any]
	resyncAt uint64
	// current is the event that the handler was last called with. again reports whether the
	// handler is to be called with it once more.
	current *eventlog.Event
	again   bool
	// own is where an event is kept that is not in the log.
	own eventlog.Event
	// cause is that of the current event, unless it is Watched.
	cause *cause.Cause
	// pause is the next backoff after a panic, if the same event is retried; zero is the first.
	pause time.Duration
	// panicked reports whether the last call of work ended in a panic.
	panicked bool
	progress *progress.Meter
	// toReplay counts the initial objects that the handler has still to be given.
	toReplay atomic.Int64

	// unbind frees the context that the handler is bound to, if that can end.
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

// stop lets run end as soon as the handler returns.
func (l *listener) stop() {
	if l.stopping.CompareAndSwap(false, true) {
		close(l.quit)
		if l.merger != nil {
			l.merger.Forget()
		}
	}
}

// context returns ctx with the handler's logger, which names it.
func (l *listener) context(ctx context.Context) context.Context {
	logger := klog.FromContext(ctx)
	if l.options.Logger != nil {
		logger = *l.options.Logger
	}
	return klog.NewContext(ctx, logger.WithValues("handler", l.options.Name))
}

// run calls the handler until stop is called or the handler ends the goroutine. Ctx is
// that of the informer, for its logger.
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

// forget lets go of the handler and of all objects. The goroutine has ended, and
// nothing commits any more.
func (l *listener) forget() {
	l.handler, l.batch, l.options.Cause = nil, nil, nil
	l.initial, l.resynced = Snapshot[any]{}, Snapshot[any]{}
	l.current, l.own, l.cause, l.due = nil, eventlog.Event{}, nil, nil
}

// work calls the handler until it panics or stop is called, and reports whether
// it was the latter. A handler that calls runtime.Goexit ends it too, and run.
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

// crashContext returns ctx with the logger that HandleCrash logs a panic with: the
// handler's own, as it was given, so that the line is the one of client-go.
func (l *listener) crashContext(ctx context.Context) context.Context {
	if l.options.Logger == nil {
		return l.context(ctx)
	}
	return klog.NewContext(ctx, *l.options.Logger)
}

// logCrash returns what logs the name of a handler that has panicked.
func (l *listener) logCrash(ctx context.Context) func(context.Context, any) {
	return func(context.Context, any) { klog.FromContext(l.context(ctx)).Error(nil, "Handler panicked") }
}

// interrupted notes a call that ended in a panic, and whether it is to be made again.
func (l *listener) interrupted(context.Context, any) {
	l.panicked = true
	l.progress.Panicked()
	l.again = l.options.OnPanic == failure.PanicRetry
	if l.batch != nil && !l.again {
		l.batch.drop()
	}
}

// pauseAfterPanic returns the backoff of the handler.
func (l *listener) pauseAfterPanic() time.Duration {
	pause := panicPause
	if l.again {
		pause = max(l.pause, panicPause)
		l.pause = min(2*pause, longestPanicPause)
	}
	return pause
}

// replay calls the handler with what a panic left over, and with what the store held
// when the listener joined. It reports whether it got to the end.
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

// flush makes a handler that takes batches take what was gathered.
func (l *listener) flush() {
	if l.batch != nil {
		l.batch.flush()
	}
}

// deliver calls the handler for the events that are ready, limit of them at the
// most, and reports whether there were any.
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

// resync updates every object of the store with itself. It does so between two events, when
// these objects are the last that the handler was given.
func (l *listener) resync() {
	for {
		l.resynced, l.resyncAt = l.fanout.position(l.log)
		// A commit may have merged what came since.
		if l.merger == nil || l.merger.Hold(l.resyncAt) {
			break
		}
	}
	l.continueResync()
}

// continueResync delivers the events before a resync and what is left of it. There may be no
// resync.
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

// catchUp delivers the events before the resync, and reports whether the handler has had them all.
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

// deliverResync updates the objects that are left of a resync with themselves.
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

// backlog is the number of events and initial objects that wait for the handler. None
// does once it is to stop.
func (l *listener) backlog() int {
	if l.stopping.Load() {
		return 0
	}
	// In the order in which events move on, lest one that moves is in neither number.
	waiting := l.waiting() + l.toReplay.Load()
	if l.merger != nil {
		waiting += l.merger.Pending()
	}
	return int(waiting)
}

// waiting is the number of events of the log that wait for the handler.
func (l *listener) waiting() int64 { return l.behind(0) }

// behind is waiting without the events before a position in the log.
func (l *listener) behind(position uint64) int64 {
	if !closed(l.fanout.synced) {
		return 0
	}
	passed := max(l.cursor.Published(), position) // before the length, which is no less
	return int64(l.log.Len() - passed)
}

// enforceLimit is called after a commit, by the goroutine that made it. If more events
// than the limit wait for a handler that coalesces, it merges them. It reports whether
// any other handler must be removed.
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

// exempt is called after each relist but the first, by the goroutine that made it, with
// the store locked. What waits for the handler then does not count toward its limit: it
// came at once, however quick the handler is. A handler that is still behind the relist
// before is not exempted again, lest one that is stuck is exempted for ever.
func (l *listener) exempt() {
	if l.cursor.Published() >= l.exempted {
		l.exempted = l.log.End()
	}
}

// status needs no lock, so that it never waits for the handler.
func (l *listener) status() HandlerStatus {
	backlog := l.backlog() // before the calls that lessen it are counted
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
