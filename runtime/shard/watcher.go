package shard

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// watcher delivers the events of the objects in some ranges, until the shard's ranges change. A watch-list
// delivers its initial events first.
type watcher struct {
	cache.Watcher
	part  *part
	shard *Shard
	// ctx is the context of the request. When the shard's ranges change, cancel ends it with
	// ErrSelectionChanged as the cause.
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu sync.Mutex
	// unfollow stops the wait for a change of ranges. It is nil before follow. stopped is set by Stop.
	unfollow func() bool
	stopped  bool
}

func newWatcher(ctx context.Context, s *Shard, part *part) *watcher {
	w := &watcher{part: part, shard: s}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// follow ends the request once the shard has other ranges than the request.
func (w *watcher) follow() {
	ranges, current := w.shard.state()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch end := func() { w.cancel(w.shard.errChanged()) }; {
	case w.stopped:
	case ranges.Equal(w.part.ranges):
		w.unfollow = context.AfterFunc(current, end)
	default:
		end()
	}
}

// changed returns ErrSelectionChanged if the request ended for that reason, and err otherwise.
func (w *watcher) changed(err error) error {
	if cause := context.Cause(w.ctx); errors.Is(cause, failure.ErrSelectionChanged) {
		return cause
	}
	return err
}

// Stop implements cache.Watcher.
func (w *watcher) Stop() {
	w.end()
	w.Watcher.Stop()
}

// end ends the request.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.unfollow != nil {
		w.unfollow()
	}
	w.cancel(nil)
}

// Next implements cache.Watcher. The value that a ByFunc hashes may change with the object, and the object
// then leaves the shard. Next reports it as Released, so that the informer releases an earlier state.
func (w *watcher) Next() (cache.WatchEvent, error) {
	for {
		event, err := w.Watcher.Next()
		switch err = w.changed(err); {
		case err != nil:
			return cache.WatchEvent{}, err
		case event.Type == watch.Bookmark:
			if event.InitialEventsEnd {
				w.follow()
			}
			return event, nil
		case w.part.has(event.Object), event.Type == watch.Deleted && !w.part.by.Served():
			return event, nil
		case !w.part.by.Served():
			event.Type = cache.Released
			return event, nil
		default:
			w.part.leaveOut(event.Object)
		}
	}
}

// emptyInterval is the time between two bookmarks of a shard without ranges. Servers send bookmarks about
// as often.
const emptyInterval = time.Minute

// emptyWatcher is the watch of a shard without ranges. It delivers the latest resourceVersion in bookmarks,
// until the shard has ranges.
type emptyWatcher struct {
	source *selected
	ctx    context.Context
	stop   func()
	// first is the first bookmark. It is nil once it was delivered.
	first *cache.WatchEvent
	// current ends when the shard has ranges. ctx ends with it.
	current context.Context
}

func newEmptyWatcher(ctx context.Context, source *selected, version string, initial bool, current context.Context) *emptyWatcher {
	w := &emptyWatcher{source: source, current: current}
	ctx, cancel := context.WithCancel(ctx)
	unfollow := context.AfterFunc(current, cancel)
	w.ctx, w.stop = ctx, func() {
		unfollow()
		cancel()
	}
	w.first = &cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: version, InitialEventsEnd: initial}
	return w
}

// Stop implements cache.Watcher.
func (w *emptyWatcher) Stop() { w.stop() }

// Next implements cache.Watcher.
func (w *emptyWatcher) Next() (cache.WatchEvent, error) {
	if first := w.first; first != nil {
		w.first = nil
		return *first, nil
	}
	var page metav1.ListMeta
	var err error
	select {
	case <-time.After(emptyInterval):
		page, err = w.source.latest(w.ctx)
	case <-w.ctx.Done():
		err = context.Cause(w.ctx)
	}
	if w.current.Err() != nil {
		err = w.source.shard.errChanged()
	}
	return cache.WatchEvent{Type: watch.Bookmark, ResourceVersion: page.ResourceVersion}, err
}
