package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// panicPause is how long a handler rests after a panic, if
// k8s.io/apimachinery/pkg/util/runtime.ReallyCrash lets the process live.
const panicPause = time.Second

// progressStep is how many events a handler may be ahead of what its backlog
// says: to tell of each one would cost as much as to deliver it.
const progressStep = 8

// listener calls one handler, in one goroutine: first with what the store held
// when it joined, then with each event of the log.
type listener[T any] struct {
	registration *Registration
	handler      Handler[T]
	logger       *klog.Logger
	resync       time.Duration
	// unchanged is true if the handler is told what a relist found as it was.
	unchanged bool
	fanout    *fanout[T]

	// joined is closed when initial, cursor and open are set, with the store
	// locked. Until then the listener's goroutine may not touch them.
	joined  chan struct{}
	initial []T
	cursor  cursor[T]
	// open is guarded by the store's lock: the log counts the cursor.
	open bool

	// toReplay and passed tell others how far the goroutine is.
	toReplay atomic.Int64
	passed   atomic.Uint64

	stopOnce sync.Once
	stopping atomic.Bool
	// quit is closed by stop.
	quit chan struct{}
}

func newListener[T any](f *fanout[T], h Handler[T], options HandlerOptions) *listener[T] {
	l := &listener[T]{
		handler:   h,
		logger:    options.Logger,
		resync:    options.Resync,
		unchanged: options.Unchanged,
		fanout:    f,
		joined:    make(chan struct{}),
		quit:      make(chan struct{}),
	}
	l.registration = &Registration{
		name:    options.Name,
		backlog: l.backlog,
		synced:  make(chan struct{}),
		done:    make(chan struct{}),
	}
	return l
}

// stop lets run end as soon as the handler returns.
func (l *listener[T]) stop() {
	l.stopOnce.Do(func() {
		l.stopping.Store(true)
		close(l.quit)
	})
}

// context returns ctx with the handler's logger.
func (l *listener[T]) context(ctx context.Context) context.Context {
	if l.logger == nil {
		return ctx
	}
	return klog.NewContext(ctx, *l.logger)
}

// run calls the handler until stop is called.
func (l *listener[T]) run(ctx context.Context) {
	defer close(l.registration.done)
	select {
	case <-l.joined:
	case <-l.quit:
		return
	}
	l.toReplay.Store(int64(len(l.initial)))
	l.passed.Store(l.cursor.passed)
	for !l.work(ctx) {
		select {
		case <-time.After(panicPause):
		case <-l.quit:
		}
	}
}

// work calls the handler until it panics or stop is called, and reports whether
// it was the latter. After a panic it goes on with the next event.
func (l *listener[T]) work(ctx context.Context) (stopped bool) {
	defer utilruntime.HandleCrashWithContext(ctx)
	if !l.replay() {
		return true
	}
	var due <-chan time.Time
	if l.resync > 0 {
		ticker := time.NewTicker(l.resync)
		defer ticker.Stop()
		due = ticker.C
	}
	for !l.stopping.Load() {
		if l.deliver(segmentSize) {
			select {
			case <-due:
				l.resyncAll()
			default:
			}
			continue
		}
		changed := l.fanout.changed.next()
		if l.cursor.ready() > 0 {
			continue
		}
		select {
		case <-changed:
		case <-due:
			l.resyncAll()
		case <-l.quit:
		}
	}
	return true
}

// replay adds what the store held when the listener joined, and reports whether
// it got to the end.
func (l *listener[T]) replay() bool {
	for len(l.initial) > 0 {
		if l.stopping.Load() {
			return false
		}
		obj := l.initial[0]
		l.initial = l.initial[1:]
		l.handler.OnAdd(obj, true)
		l.toReplay.Add(-1)
	}
	l.initial = nil
	l.registration.complete()
	return true
}

// deliver calls the handler for the events that are ready, limit of them at the
// most, and reports whether there were any.
func (l *listener[T]) deliver(limit int) bool {
	ready := min(l.cursor.ready(), limit)
	for n := range ready {
		if l.stopping.Load() {
			break
		}
		if n%progressStep == 0 {
			l.passed.Store(l.cursor.passed)
		}
		l.call(l.cursor.next())
	}
	if ready > 0 {
		l.passed.Store(l.cursor.passed)
	}
	return ready > 0
}

func (l *listener[T]) call(e *event[T]) {
	switch e.kind {
	case added:
		l.handler.OnAdd(e.obj, false)
	case updated:
		l.handler.OnUpdate(e.old, e.obj)
	case removed:
		l.handler.OnDelete(e.obj, e.finalStateUnknown)
	case unchanged:
		if l.unchanged {
			l.handler.OnUpdate(e.obj, e.obj)
		}
	}
}

// resyncAll updates every object of the store with itself, at a point between
// two events at which these objects are what the handler was last given.
func (l *listener[T]) resyncAll() {
	objects, until := l.fanout.cut()
	if until.segment == nil {
		return // removed
	}
	for l.cursor.passed < until.passed && !l.stopping.Load() {
		l.deliver(min(segmentSize, int(until.passed-l.cursor.passed)))
	}
	for _, obj := range objects {
		if l.stopping.Load() {
			return
		}
		l.handler.OnUpdate(obj, obj)
	}
}

// backlog is the number of events and initial objects that wait for the
// handler.
func (l *listener[T]) backlog() int {
	select {
	case <-l.joined:
	default:
		return 0
	}
	waiting := int64(l.fanout.log.length.Load() - l.passed.Load())
	return int(max(0, l.toReplay.Load()+waiting))
}
