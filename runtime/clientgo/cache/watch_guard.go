package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// How long a watch may be silent: before the bookmark that closes its initial
// events, and else. They are the defaults of the core's informers.
const (
	bookmarkPatience = 20 * time.Second
	idlePatience     = 4 * time.Minute
)

// busyBackoff is how long the reflector waits for a server that is busy or down, if
// it has no Backoff.
var busyBackoff = wait.Backoff{
	Duration: 800 * time.Millisecond,
	Factor:   2,
	Jitter:   1,
	Steps:    32,
	Cap:      30 * time.Second,
}

var (
	errWatchListGivenUp = errors.New("watch-list: given up, since an earlier one had no end")
	errNoWatch          = errors.New("watch: is nil")
)

// watchGuard keeps client-go's reflector from waiting for too long: for ever for a
// server that is silent, and beyond the end of its context for one that is busy.
type watchGuard struct {
	inner ListerWatcherWithContext
	// name is that of the reflector.
	name    string
	backoff wait.Backoff
	// givenUp is set when the initial events of a watch-list had no end. There
	// are no others then, so that the reflector lists.
	givenUp atomic.Bool
}

func guarded(lw ListerWatcher, name string, backoff *wait.Backoff) ListerWatcher {
	g := &watchGuard{inner: ToListerWatcherWithContext(lw), name: name, backoff: ptr.Deref(backoff, busyBackoff)}
	return ToListWatcherWithWatchListSemantics(&ListWatch{
		ListWithContextFunc:  g.inner.ListWithContext,
		WatchFuncWithContext: g.watch,
	}, lw)
}

func (g *watchGuard) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	streaming := ptr.Deref(options.SendInitialEvents, false)
	if streaming && g.givenUp.Load() {
		return nil, errWatchListGivenUp
	}
	open := g.inner.WatchWithContext
	if streaming {
		open = g.insist
	}
	inner, err := open(ctx, options)
	if err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, errNoWatch
	}
	w := &guardedWatch{inner: inner, streaming: streaming, result: make(chan watch.Event), stopped: make(chan struct{})}
	go w.run(func() watch.Event { return g.giveUp(ctx) })
	return w, nil
}

// insist opens a watch-list of a server that may be busy or down. The reflector
// would ask for it again too, but does not look at its context meanwhile.
func (g *watchGuard) insist(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	for backoff := g.backoff; ; {
		w, err := g.inner.WatchWithContext(ctx, options)
		if !isBusy(err) {
			return w, err
		}
		klog.FromContext(ctx).V(2).Info("Watch-list failed, trying again", "reflector", g.name, "err", err)
		select {
		case <-time.After(backoff.Step()):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// isBusy is true for errors that say nothing of the watch: the server asks to come
// back, or nobody listens at its address.
func isBusy(err error) bool {
	return apierrors.IsTooManyRequests(err) || utilnet.IsConnectionRefused(err)
}

// giveUp returns the event that makes the reflector list.
func (g *watchGuard) giveUp(ctx context.Context) watch.Event {
	g.givenUp.Store(true)
	klog.FromContext(ctx).Info("Watch-list given up for good, listing instead", "reflector", g.name, "err", core.ErrBookmarkMissing)
	status := apierrors.NewTimeoutError(fmt.Sprintf("watch-list: %v: %v", core.ErrBookmarkMissing, bookmarkPatience), 0).Status()
	return watch.Event{Type: watch.Error, Object: &status}
}

// guardedWatch passes on the events of a watch for as long as there are any.
type guardedWatch struct {
	inner watch.Interface
	// streaming is true until the initial events have ended.
	streaming bool

	stopOnce sync.Once
	// stopped is closed by Stop.
	stopped chan struct{}
	// result is closed when run has ended, and inner is stopped.
	result chan watch.Event
}

func (w *guardedWatch) ResultChan() <-chan watch.Event { return w.result }

// Stop returns when the inner watch is stopped.
func (w *guardedWatch) Stop() {
	w.stopOnce.Do(func() { close(w.stopped) })
	for range w.result {
		// until it is closed
	}
}

func (w *guardedWatch) run(giveUp func() watch.Event) {
	defer close(w.result)
	defer w.inner.Stop()
	events := w.inner.ResultChan()
	timer := time.NewTimer(w.patience())
	defer timer.Stop()
	for {
		select {
		case event, ok := <-events:
			if !ok || !w.pass(event) {
				return
			}
			w.streaming = w.streaming && !endsInitialEvents(event)
			timer.Reset(w.patience())
		case <-timer.C:
			if w.streaming {
				w.pass(giveUp())
			}
			return
		case <-w.stopped:
			return
		}
	}
}

func (w *guardedWatch) patience() time.Duration {
	if w.streaming {
		return bookmarkPatience
	}
	return idlePatience
}

// pass hands an event on, and returns false if nobody wants it any more.
func (w *guardedWatch) pass(event watch.Event) bool {
	select {
	case w.result <- event:
		return true
	case <-w.stopped:
		return false
	}
}

func endsInitialEvents(event watch.Event) bool {
	if event.Type != watch.Bookmark {
		return false
	}
	m, err := meta.Accessor(event.Object)
	return err == nil && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
}
