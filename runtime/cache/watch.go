package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/idle"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// watch opens a watch or, in the phase Streaming, a watch-list, and pushes its events. It returns the phase
// in which the request ended: a watch-list whose initial events are complete has become a watch. The error
// says why it ended, for a report.
func (r *reflector) watch(ctx context.Context, s protocol.State) (protocol.State, protocol.Phase, protocol.Pace, error) {
	w := &watchRequest{reflector: r, state: s}
	began := time.Now()
	end := protocol.Ending{Err: w.run(ctx)}
	if end.Err == io.EOF { //nolint:errorlint // a wrapped io.EOF is a connection that was cut
		end.Err = nil
	}
	end.Opened, end.Events, end.Lasted = !w.openedAt.IsZero(), w.events, time.Since(began)
	if w.events > 0 {
		end.Flowed = time.Since(w.first)
	}
	r.opened = end.Opened
	if end.Opened && !end.Useless() {
		r.backoff.Succeeded()
		r.backoff.Watched(end.Lasted)
	}
	idle := errors.Is(end.Err, failure.ErrWatchIdle)
	if r.silence.Ended(end) && r.server.DetectsRestart {
		end.Err = cmp.Or(r.checkHistory(ctx, w.state.ResourceVersion), end.Err)
	}
	var pace protocol.Pace
	if s = w.state; s.Phase == protocol.Streaming { // its initial events were not complete
		err := cmp.Or(end.Err, failure.ErrStreamEnded)
		r.requested(ctx, protocol.Streaming, err)
		if errors.Is(err, failure.ErrBookmarkMissing) {
			r.noWatchLists.Store(true)
		}
		s, pace = s.StreamEnded(end)
		return s, protocol.Streaming, pace, fmt.Errorf("watch-list: %w", err)
	}
	if end.Opened || !errors.Is(end.Err, failure.ErrSelectionChanged) { // otherwise there was no request
		r.requested(ctx, protocol.Watching, end.Err)
	}
	s, pace = s.WatchEnded(end)
	switch {
	case s.Phase == protocol.Watching && !s.Resumable() && (w.about.OrderedResourceVersions || !idle):
		// Objects that were deleted meanwhile would stay.
		return s.Start(), protocol.Watching, max(pace, protocol.Soon), fmt.Errorf("watch: %w", cmp.Or(end.Err, failure.ErrUnversioned))
	case pace != protocol.Later && r.reread.Watched():
		return s.Start(), protocol.Watching, pace, fmt.Errorf("object: %w: listing to see whether it is now", failure.ErrUndecodable)
	case pace == protocol.AtOnce && end.Err == nil:
		return s, protocol.Watching, pace, nil
	}
	return s, protocol.Watching, pace, fmt.Errorf("watch: %w", end.Reason())
}

// checkHistory compares the server's latest version with the version of a watch that delivered nothing. A
// watch from a future version is silent too, and if the server's history has restarted, the version is in
// the future.
func (r *reflector) checkHistory(ctx context.Context, position string) error {
	ctx, cancel := context.WithTimeout(ctx, r.options.idleTimeout())
	defer cancel()
	latest, err := r.source.List(ctx, metav1.ListOptions{Limit: 1}, func(any, error) {})
	if err != nil {
		return nil //nolint:nilerr // nothing is known
	}
	return protocol.CheckHistory(latest.ResourceVersion, position)
}

// noteEnd notes that a watch has ended, and which request follows.
func (r *reflector) noteEnd(s protocol.State, err error) {
	switch {
	case s.Phase != protocol.Watching:
		r.broken = nil
		r.recorder.relisted(err)
	case r.opened:
		r.broken = &err
	}
}

// watchRequest is one watch, from its request to its end.
type watchRequest struct {
	*reflector
	state protocol.State
	// openedAt is when the server accepted the watch. It is zero before.
	openedAt time.Time
	// events counts the watch's events, and first is when the first came.
	events int
	first  time.Time
	// settled reports whether the version of an event is one to watch from. A watch without a version
	// starts with objects whose versions come in any order.
	settled bool
	// initial collects the initial events of a watch-list. It is nil after them, and for a watch. limit
	// limits the time that they take.
	initial *protocol.InitialEvents[item]
	limit   protocol.InitialLimit
	idle    *idle.Timer
	// bookmarked is when the last bookmark came. timeout limits how long the watch may be silent.
	bookmarked time.Time
	timeout    time.Duration
	cancel     context.CancelCauseFunc
}

// comparable reports whether the version of an event shows that the event is new.
func (w *watchRequest) comparable() bool { return w.about.OrderedResourceVersions && w.settled }

// run opens the watch and handles its events until it ends. The error is io.EOF if the server closed it.
func (w *watchRequest) run(ctx context.Context) error {
	ctx, w.cancel = context.WithCancelCause(ctx)
	defer w.cancel(nil)
	defer func() { w.idle.Stop() }()
	timeout := w.silence.WatchTimeout(positive(w.options.WatchTimeout, defaultWatchTimeout), w.options.idleTimeout())
	timeout += w.options.jitter(timeout) // so that the watches of many informers do not end together
	w.start(timeout)
	stream, err := w.source.Watch(w.following(ctx, w.pass), w.state.WatchOptions(timeout))
	if err != nil {
		return idle.CauseOf(ctx, err)
	}
	w.openedAt = time.Now()
	if w.broken != nil {
		w.recorder.reconnected(*w.broken)
		w.broken = nil
	}
	w.recorder.contact()
	if w.initial == nil {
		defer time.AfterFunc(protocol.ShortWatch, func() { w.succeed(ctx) }).Stop()
	}
	defer stopWith(ctx, stream)()
	for {
		event, err := stream.Next()
		if broken := (*failure.ObjectError)(nil); errors.As(err, &broken) {
			w.skip(ctx, err)
			continue
		}
		if err != nil {
			return idle.CauseOf(ctx, err)
		}
		w.touch()
		if event.Type == watch.Bookmark {
			err = w.bookmark(ctx, event)
		} else {
			w.event(ctx, event)
		}
		if err != nil {
			return err
		}
		if w.events == 1 && w.initial == nil {
			w.succeed(ctx)
		}
	}
}

// stopWith stops a stream when ctx ends. The function that it returns stops the stream too, and returns
// when no goroutine of stopWith is left.
func stopWith(ctx context.Context, stream Watcher) (stop func()) {
	stopped := make(chan struct{})
	unbind := context.AfterFunc(ctx, func() {
		defer close(stopped)
		stream.Stop()
	})
	return func() {
		stream.Stop()
		if !unbind() {
			<-stopped
		}
	}
}

// start starts the timers, before a request that the server is asked to end after timeout.
func (w *watchRequest) start(timeout time.Duration) {
	if w.state.Phase != protocol.Streaming {
		w.settled = w.state.Resumable()
		w.adjustIdleTimer()
		return
	}
	w.begin()
	w.recorder.listing()
	w.initial = protocol.NewInitialEvents[item]()
	w.limit.Timeout = positive(w.options.BookmarkTimeout, defaultBookmarkTimeout)
	// A server that respects its timeout has ended the watch-list before.
	w.idle = idle.CancelWithin(w.cancel, w.limit.Timeout, timeout+w.limit.Timeout, failure.ErrBookmarkMissing)
}

// touch notes that an event has come.
func (w *watchRequest) touch() {
	if w.initial == nil {
		w.idle.Touch()
	}
	if w.events++; w.events == 1 {
		w.first = time.Now()
	}
}

// arrived notes an initial event.
func (w *watchRequest) arrived(kind watch.EventType, first bool) {
	allowance := w.limit.Arrived(kind, first)
	w.idle.Give(allowance.Adds)
	if allowance.Last > 0 {
		w.idle.Stop()
		w.idle = idle.Cancel(w.cancel, allowance.Last, allowance.Err)
	}
}

// pass handles an event of an object that the source leaves out. Its version counts.
func (w *watchRequest) pass(resourceVersion string) {
	w.touch()
	if w.initial != nil {
		w.arrived(watch.Added, true) // as far as is known
		return
	}
	w.advance(watch.Modified, resourceVersion)
	w.push(delta{kind: bookmarked, resourceVersion: resourceVersion})
}

// mayBeSilent reports whether a watch may be idle for ever. That holds for what is probably a fake
// clientset's watch: it has no connection that could break, sends no bookmarks, and may lose events between
// two watches or send old events again.
func (r *reflector) mayBeSilent() bool {
	return r.options.IdleTimeout <= 0 && r.about.NoWatchList && !r.server.DetectsRestart
}

// adjustIdleTimer sets the idle timer by what is known of the server.
func (w *watchRequest) adjustIdleTimer() {
	timeout := w.silence.IdleTimeout(w.options.idleTimeout())
	if timeout == w.timeout || w.mayBeSilent() {
		return
	}
	w.idle.Stop()
	w.timeout = timeout
	w.idle = idle.Cancel(w.cancel, timeout, failure.ErrWatchIdle)
}

// skip leaves out an event whose object can't be decoded.
func (w *watchRequest) skip(ctx context.Context, err error) {
	w.recorder.contact()
	it, ok := w.unreadable(ctx, err)
	if w.initial == nil {
		w.idle.Touch()
		return
	}
	w.arrived(watch.Added, w.addInitial(watch.Added, it, ok))
}

// bookmark handles a bookmark: the one that closes the initial events, or one with the position of the
// watch.
func (w *watchRequest) bookmark(ctx context.Context, event WatchEvent) error {
	version := event.ResourceVersion
	w.server.Bookmarked(version)
	switch {
	case w.initial != nil && event.InitialEventsEnd:
		w.close(ctx, version)
		return nil
	case w.initial != nil:
		w.arrived(watch.Bookmark, false)
		return nil
	case w.comparable() && protocol.Older(version, w.state.ResourceVersion):
		return fmt.Errorf("%w: a bookmark of resourceVersion %s after %s", failure.ErrHistoryRestarted, version, w.state.ResourceVersion)
	}
	if now := time.Now(); w.bookmarked.IsZero() {
		w.bookmarked = now
	} else {
		w.silence.Observe(now.Sub(w.bookmarked))
		w.bookmarked = now
		w.adjustIdleTimer()
	}
	w.advance(watch.Bookmark, version)
	w.recorder.bookmarked()
	w.push(delta{kind: bookmarked, resourceVersion: version})
	return nil
}

// close ends the initial events.
func (w *watchRequest) close(ctx context.Context, version string) {
	restarted := w.state.Restarted
	w.state = w.state.Streamed(version)
	listed := w.state
	listed.Restarted = restarted
	w.recorder.requested(protocol.Streaming, nil)
	w.replace(ctx, listed, w.initial.Items())
	w.initial, w.settled = nil, true
	w.idle.Stop()
	w.idle = nil
	w.adjustIdleTimer()
}

// event handles an event of an object.
func (w *watchRequest) event(ctx context.Context, event WatchEvent) {
	verdict := w.judge(event)
	if w.initial != nil {
		w.initialEvent(ctx, event, verdict)
		return
	}
	d, ok := w.delta(ctx, event)
	if ok && verdict == protocol.Superseded {
		w.lookUp(d.key)
		return
	}
	if ok && w.replayed(d) {
		return
	}
	if ok && verdict == protocol.Repeated && d.kind == set {
		if w.has(d) {
			return
		}
		// The content differs under the same version, as far as can be seen.
		w.server.Contradicted()
	}
	// When handlers get the object, the informer's status has its version.
	w.advance(event.Type, d.resourceVersion)
	if !ok { // the object is left out, and its version counts
		w.push(delta{kind: bookmarked, resourceVersion: d.resourceVersion})
	} else {
		w.delivered.Last = d.Received
		w.lookups.Push(d.key, d.resourceVersion, func() { w.push(d) })
		if verdict == protocol.Outdated {
			w.lookUp(d.key)
		}
	}
}

// replayed reports whether a delta repeats the stored object because the watch was opened again without
// need. Watches of fakes may be silent for ever, and begin with the latest states. Real servers write no
// state twice.
func (w *watchRequest) replayed(d delta) bool {
	return !w.about.OrderedResourceVersions && d.kind == set && w.silence.Replays(time.Since(w.openedAt)) && w.has(d)
}

// has reports whether d's object equals the last one delivered or the stored one. The stored one does not
// count if the store is behind: a later state may be in the queue.
func (w *watchRequest) has(d delta) bool {
	if protocol.SameContent.Of(w.delivered.Last, d.Received) {
		return true
	}
	if !w.committed() {
		return false
	}
	old, ok := w.cached(d.key)
	return ok && protocol.SameContent.Of(old, d.Received)
}

// kindOf returns the type of an event. A released object is gone, like a deleted one.
func kindOf(event WatchEvent) watch.EventType {
	if event.Type == Released {
		return watch.Deleted
	}
	return event.Type
}

// judge compares an event with the events before it, if their versions are ordered.
func (w *watchRequest) judge(event WatchEvent) protocol.Novelty {
	switch {
	case !w.about.OrderedResourceVersions || event.Object == nil:
		return protocol.Fresh
	case w.initial != nil:
		return w.delivered.Judge(kindOf(event), event.Object, "", w.unknown)
	case w.settled:
		return w.delivered.Judge(kindOf(event), event.Object, w.state.ResourceVersion, w.cached)
	default:
		return protocol.Fresh
	}
}

// delta makes a delta of an event. ok is false if the object can't be used.
func (w *watchRequest) delta(ctx context.Context, event WatchEvent) (d delta, ok bool) {
	if event.Object == nil && event.Type == watch.Deleted && w.scope.key.Name != "" {
		return delta{kind: deleted, key: w.scope.key, unseen: true, resourceVersion: event.ResourceVersion}, true
	}
	d = delta{kind: set, resourceVersion: protocol.ResourceVersionOf(event.Object)}
	key, err := w.keyOf(event.Object)
	if err != nil {
		w.reportKey(ctx, err)
		return d, false
	}
	d.key = key
	switch event.Type {
	case Released: // the store has the last state
		d.kind, d.released = deleted, true
		return d, true
	case watch.Deleted:
		d.kind = deleted
	}
	taken, err := w.transform(event.Object)
	if err != nil {
		w.reportTransform(ctx, key, taken.Sent, err)
		return d, d.kind == deleted // a deletion needs no object
	}
	d.Received = taken
	if d.Object == nil {
		d.kind = deleted
	}
	return d, true
}

func (w *watchRequest) advance(kind watch.EventType, resourceVersion string) {
	if kind != watch.Added {
		w.settled = true
	}
	if !w.settled || resourceVersion == "" || w.comparable() && protocol.Older(resourceVersion, w.state.ResourceVersion) {
		return
	}
	w.state.ResourceVersion = resourceVersion
	w.recorder.seen(resourceVersion)
}

// initialEvent handles an initial event.
func (w *watchRequest) initialEvent(ctx context.Context, event WatchEvent, verdict protocol.Novelty) {
	kind := kindOf(event)
	var it item
	var ok bool
	if kind == watch.Deleted {
		key, err := w.keyOf(event.Object)
		if it, ok = (item{key: key}), err == nil; ok {
			delete(w.leftOut, key)
		}
	} else if it, ok = w.takeListed(ctx, event.Object, nil, w.sameness(w.state)); ok && it.Object == nil {
		kind = watch.Deleted
	}
	first := w.addInitial(kind, it, ok && verdict != protocol.Superseded)
	if event.Type == Released { // its object may be one of the initial objects
		event.Type = watch.Added
	}
	w.arrived(event.Type, first)
	if ok && (verdict == protocol.Superseded || verdict == protocol.Outdated) {
		w.lookUp(it.key)
	}
}

// addInitial adds an item to the initial events if it is ok. It reports whether the event is the first one
// of its object, as far as is known.
func (w *watchRequest) addInitial(kind watch.EventType, it item, ok bool) (first bool) {
	switch {
	case ok:
		return w.initial.Add(kind, it.key, it)
	case it.key == types.NamespacedName{}:
		return true
	default:
		return w.initial.Note(it.key)
	}
}

// unknown returns no object. It stands for cached where stored objects don't count.
func (w *watchRequest) unknown(types.NamespacedName) (none protocol.Received, _ bool) {
	return none, false
}
