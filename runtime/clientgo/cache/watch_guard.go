package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// How long a watch may be silent: before the bookmark that closes its initial
// events, and else. They are the defaults of the core's informers.
const (
	bookmarkTimeout = 20 * time.Second
	idleTimeout     = 4 * time.Minute
)

// maxCuts is how many watch-lists may end, one after the other, before the bookmark
// that closes their initial events. Then the reflector lists.
const maxCuts = 3

// minimumBackoff takes the place of a backoff that is none, with which a reflector
// would send requests to a failing server without a backoff.
const minimumBackoff = 100 * time.Millisecond

// defaultBackoff is how long the reflector waits for a server that is busy or down,
// if it has no Backoff.
var defaultBackoff = wait.Backoff{
	Duration: 800 * time.Millisecond,
	Factor:   2,
	Jitter:   1,
	Steps:    32,
	Cap:      30 * time.Second,
}

var (
	errWatchListGivenUp = errors.New("watch-list: given up, since the initial events of an earlier one had no end")
	errWatchListCut     = fmt.Errorf("watch-list: %d in a row ended before their initial events", maxCuts)
	errNoWatch          = errors.New("watch: is nil")
)

// watchGuard keeps client-go's reflector from waiting for too long: for ever for a
// server that is silent, and beyond the end of its context for one that is busy.
//
// It does not touch the events, which the reflector receives from the channel of the
// watch below: an event that passes through another goroutine could be lost when the
// context ends. That a watch is not silent is what the store is called for.
type watchGuard struct {
	inner ListerWatcherWithContext
	// name is that of the reflector.
	name    string
	backoff wait.Backoff
	// givenUp is set when the initial events of a watch-list had no end. There
	// are no others then, so that the reflector lists.
	givenUp atomic.Bool
	// cuts counts the watch-lists since the last whose initial events ended. Only
	// the reflector's goroutine uses it.
	cuts int
	// current is the last watch that was opened, or nil.
	current atomic.Pointer[guardedWatch]
}

// guarded returns a guard of what a reflector lists and watches, and the
// ListerWatcher to give to it. Its store has to be one of the guard's.
func guarded(lw ListerWatcher, name string, backoff *wait.Backoff) (*watchGuard, ListerWatcher) {
	g := &watchGuard{inner: ToListerWatcherWithContext(lw), name: name, backoff: ptr.Deref(backoff, defaultBackoff)}
	return g, ToListWatcherWithWatchListSemantics(&ListWatch{
		ListWithContextFunc:  g.inner.ListWithContext,
		WatchFuncWithContext: g.watch,
	}, lw)
}

// floored returns a backoff that does not shrink, and that is not zero.
func floored(backoff *wait.Backoff) *wait.Backoff {
	if backoff == nil {
		return nil
	}
	b := *backoff
	if b.Duration < time.Millisecond {
		b.Duration = minimumBackoff
	}
	if b.Cap > 0 {
		b.Cap = max(b.Cap, b.Duration)
	}
	if b.Factor != 0 {
		b.Factor = max(b.Factor, 1)
	}
	return &b
}

func (g *watchGuard) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	open, streaming := g.inner.WatchWithContext, ptr.Deref(options.SendInitialEvents, false)
	if streaming {
		if err := g.refuse(); err != nil {
			return nil, err
		}
		open = g.insist
	}
	inner, err := open(ctx, options)
	if err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, errNoWatch
	}
	w := &guardedWatch{Interface: inner, guard: g}
	w.streaming.Store(streaming)
	w.idle = time.AfterFunc(w.timeout(), func() {
		if w.streaming.Load() {
			g.giveUp(ctx)
		}
		w.stopOnce.Do(w.Interface.Stop)
	})
	g.current.Store(w)
	return w, nil
}

// refuse returns why there is to be no watch-list, if so, which makes the reflector
// list. It counts those that there are.
func (g *watchGuard) refuse() error {
	if g.givenUp.Load() {
		return errWatchListGivenUp
	}
	if g.cuts == maxCuts {
		g.cuts = 0
		return errWatchListCut
	}
	g.cuts++
	return nil
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

// isBusy is true for errors that say nothing of the watch: the server asks to try
// again later, or it refuses connections.
func isBusy(err error) bool {
	return apierrors.IsTooManyRequests(err) || utilnet.IsConnectionRefused(err)
}

// giveUp makes the reflector list from now on.
func (g *watchGuard) giveUp(ctx context.Context) {
	g.givenUp.Store(true)
	klog.FromContext(ctx).Info("Watch-list given up for good, listing instead", "reflector", g.name, "err", failure.ErrBookmarkMissing)
}

// active is called for each event that the reflector has received.
func (g *watchGuard) active() {
	if w := g.current.Load(); w != nil {
		w.idle.Reset(w.timeout())
	}
}

// replaced is called when the reflector has a list, or all initial events of a
// watch-list.
func (g *watchGuard) replaced() {
	g.cuts = 0
	if w := g.current.Load(); w != nil {
		w.streaming.Store(false)
	}
	g.active()
}

// guardedWatch is a watch that stops when it is silent for too long.
type guardedWatch struct {
	watch.Interface
	guard *watchGuard
	// streaming is true until the initial events of a watch-list have ended.
	streaming atomic.Bool
	idle      *time.Timer
	stopOnce  sync.Once
}

func (w *guardedWatch) Stop() {
	w.idle.Stop()
	w.guard.current.CompareAndSwap(w, nil)
	w.stopOnce.Do(w.Interface.Stop)
}

func (w *guardedWatch) timeout() time.Duration {
	if w.streaming.Load() {
		return bookmarkTimeout
	}
	return idleTimeout
}
