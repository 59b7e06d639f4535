package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// errStopped is returned by Next after Stop.
var errStopped = errors.New("watch: stopped")

// Bookmark sends a bookmark of the latest resourceVersion to the open watches that allow bookmarks.
// Otherwise only watch-lists, and watches that end by their timeout, have one.
func (a *engine) Bookmark() { a.signal(bookmarked, nil) }

// CloseWatches ends the open watches normally. Like the other signals, it reaches each of them after every
// earlier event.
func (a *engine) CloseWatches() { a.signal(ended, io.EOF) }

// BreakWatches ends the open watches with an error. A status error is an event of type ERROR, and any other
// error a broken connection. Nil means io.ErrUnexpectedEOF.
func (a *engine) BreakWatches(err error) {
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	a.signal(ended, err)
}

// Watches returns the number of watches that were opened and have neither ended nor been stopped. A watch
// whose context has ended counts until its Next or Stop is called.
func (a *engine) Watches() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.watches
}

func (a *engine) signal(kind recordKind, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.signalLocked(kind, err)
}

func (a *engine) signalLocked(kind recordKind, err error) {
	a.history.append(&record{kind: kind, rv: a.history.tail.rv, err: err})
}

// Watch implements cache.Objects for all namespaces.
//
// From a resourceVersion it sends the changes after it. If the API has not reached that version yet, it
// sends neither changes nor bookmarks until then, like a real server. From "" or "0" it sends the latest
// state first, with every object as added. With sendInitialEvents=true it does that from any
// resourceVersion, followed by a bookmark. It ends with io.EOF after options.TimeoutSeconds and, as from a
// real server, has a bookmark two seconds before.
//
// A watch reads the history in its own time, and never misses an event, however late it reads.
//
// Possible errors: errors of faults; NotFound, after Uninstall; BadRequest and Invalid. In the stream, as
// from a real server: Expired, for a resourceVersion from before a compaction; and Timeout with the cause
// ResourceVersionTooLarge, for a watch-list.
func (a *engine) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	return asWatcher(a.watch(ctx, "", options))
}

// asWatcher returns a nil interface, and not a nil pointer in an interface, if there is an error.
func asWatcher(w *watcher, err error) (cache.Watcher, error) {
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (a *engine) watch(ctx context.Context, namespace string, options metav1.ListOptions) (*watcher, error) {
	verb := Watch
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		verb = WatchList
	}
	request, fault := a.arrive(Request{Verb: verb, Namespace: namespace, Options: *options.DeepCopy()})
	w, err := a.open(ctx, namespace, options, fault)
	a.answer(request, err)
	return w, err
}

func (a *engine) open(ctx context.Context, namespace string, options metav1.ListOptions, fault *Fault) (*watcher, error) {
	if err := fault.start(ctx); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.unavailableLocked(http.MethodGet); err != nil {
		return nil, err
	}
	options.Watch = true
	s, err := parseSelection(namespace, options, &a.filtersShards)
	if err != nil {
		return nil, err
	}
	var from uint64
	if options.ResourceVersion != "" {
		if from, err = parseVersion(options.ResourceVersion); err != nil {
			return nil, err
		}
	}
	w := &watcher{
		selection: s,
		bookmarks: options.AllowWatchBookmarks,
		fault:     fault,
		opened:    a.history.tail.seq,
	}
	a.watches++
	ctx, stop := context.WithCancelCause(ctx)
	w.ctx, w.timed = ctx, ctx
	cancel := func() {}
	if seconds := options.TimeoutSeconds; seconds != nil && *seconds > 0 {
		timeout := time.Duration(*seconds) * time.Second
		w.timed, cancel = context.WithTimeoutCause(ctx, timeout, io.EOF)
		if w.bookmarks && timeout > beforeEnd {
			w.ending = time.After(timeout - beforeEnd)
		}
	}
	w.free = sync.OnceFunc(func() {
		stop(errStopped)
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.watches--
	})
	w.refused = a.positionLocked(w, from, options.SendInitialEvents)
	return w, nil
}

// beforeEnd is the time between the last bookmark of a watch and its end.
const beforeEnd = 2 * time.Second

// positionLocked sets the beginning of a watch. Its error belongs into the stream.
func (a *engine) positionLocked(w *watcher, from uint64, sendInitial *bool) error {
	latest := a.history.tail.rv
	streaming := sendInitial != nil && *sendInitial
	if from != 0 && !streaming {
		if from < a.history.base.rv {
			return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", from, a.history.base.rv))
		}
		w.at, w.from = a.history.at(from), from
		return nil
	}
	if from > latest {
		return tooLarge(from, latest)
	}
	w.at, w.from = a.history.tail, latest
	if sendInitial == nil || streaming {
		w.initial = shuffle(a.snapshotLocked(latest), w.fault.Shuffle)
	}
	w.closing = streaming && w.bookmarks
	return nil
}

// watcher is an open watch: a position in the history.
type watcher struct {
	// ctx ends when the watch is stopped. timed ends then, and after the watch's timeout.
	ctx, timed context.Context
	// free ends both, and the watch does not count any more.
	free func()

	selection selection
	bookmarks bool
	fault     *Fault
	// ending delivers when the last bookmark is due. It is nil if none is due.
	ending <-chan time.Time

	// initial holds the objects that must still be sent as added. closing reports whether a bookmark
	// follows them.
	initial []*version
	closing bool
	// at is the last record that was read. Changes up to from, and signals up to opened, are not for this
	// watch.
	at     *record
	from   uint64
	opened uint64
	// refused is the error with which the watch ends before its first event.
	refused error
	// sent counts events.
	sent int
	// kept is the event that the fault sends again.
	kept cache.WatchEvent
	// padding is the number of bytes to add to the latest event.
	padding int
	// err is the error that the stream ended with.
	err error
}

// Next implements cache.Watcher. After the stream has ended, it returns the
// same error again.
func (w *watcher) Next() (cache.WatchEvent, error) {
	if w.err != nil {
		return cache.WatchEvent{}, w.err
	}
	event, err := w.next()
	var object *failure.ObjectError
	if err != nil && !errors.As(err, &object) && !errors.Is(err, ErrGarbled) {
		w.err = err
		w.free()
	}
	return event, err
}

// Stop implements cache.Watcher.
func (w *watcher) Stop() { w.free() }

func (w *watcher) next() (cache.WatchEvent, error) {
	w.padding = 0
	f := w.fault
	if w.sent != f.After {
		return w.pass()
	}
	if err := pause(w.timed, f.Stall); err != nil {
		return cache.WatchEvent{}, err
	}
	f.Stall = 0
	if again := w.kept; again.Type != "" {
		w.kept = cache.WatchEvent{}
		return again, nil
	}
	garbled := errors.Is(f.Err, ErrGarbled)
	if f.ends() && !garbled {
		// A silent server does not end the stream in time either.
		return cache.WatchEvent{}, f.end(w.ctx)
	}
	event, err := w.pass()
	if err != nil {
		return cache.WatchEvent{}, err
	}
	w.padding = f.Padding
	if garbled {
		return cache.WatchEvent{}, f.Err
	}
	if object := f.undecodable(keyOf(event)); object != nil {
		return cache.WatchEvent{}, object
	}
	return event, nil
}

// keyOf returns the key of the event's object. It is empty for a bookmark.
func keyOf(event cache.WatchEvent) types.NamespacedName {
	if event.Type == watch.Bookmark {
		return types.NamespacedName{}
	}
	return newVersion(event.Object.(runtime.Object)).key()
}

// pass returns the next event that the fault does not drop.
func (w *watcher) pass() (cache.WatchEvent, error) {
	event, err := w.event()
	for w.fault.LoseBookmarks && w.sent >= w.fault.After && err == nil && event.Type == watch.Bookmark {
		event, err = w.event()
	}
	if err != nil {
		return cache.WatchEvent{}, err
	}
	if w.fault.Repeat > 0 && w.sent == w.fault.After-w.fault.Repeat {
		w.kept = event
		if event.Type != watch.Bookmark {
			w.kept.Object = newVersion(event.Object.(runtime.Object)).copy()
		}
	}
	w.sent++
	return event, nil
}

// event returns the next event, without regard to faults.
func (w *watcher) event() (cache.WatchEvent, error) {
	if w.refused != nil {
		return cache.WatchEvent{}, w.refused
	}
	// A watch that has ended reads no further, even if there are more events.
	if err := context.Cause(w.timed); err != nil {
		return cache.WatchEvent{}, err
	}
	for len(w.initial) > 0 {
		v := w.initial[0]
		w.initial = w.initial[1:]
		if w.selection.matches(v.meta) {
			return cache.WatchEvent{Type: watch.Added, Object: v.copy()}, nil
		}
	}
	if w.closing {
		w.closing = false
		return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: formatVersion(w.from), InitialEventsEnd: true}, nil
	}
	for {
		select {
		case <-w.timed.Done():
		case <-w.at.more:
		case <-w.ending:
			if w.ending = nil; w.at.rv >= w.from {
				return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: formatVersion(w.at.rv)}, nil
			}
			continue
		}
		if err := context.Cause(w.timed); err != nil { // both may be true
			return cache.WatchEvent{}, err
		}
		w.at = w.at.next
		switch r := w.at; {
		case r.kind == changed && r.rv > w.from:
			if event, obj, ok := r.event(w.selection); ok {
				return cache.WatchEvent{Type: event, Object: obj}, nil
			}
		case r.kind == bookmarked && r.seq > w.opened && r.rv >= w.from && w.bookmarks:
			return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: formatVersion(r.rv)}, nil
		case r.kind == ended && r.seq > w.opened:
			return cache.WatchEvent{}, r.err
		}
	}
}
