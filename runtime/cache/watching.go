package cache

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/watch"
)

// watching is one watch, from the request to its end.
type watching[T any] struct {
	*reflector[T]
	state  state
	frames int
	// settled is whether a frame's resourceVersion is one to watch from: those
	// of the objects that a watch from no particular version starts with come
	// in any order.
	settled bool
	// initial collects the initial events of a watch-list.
	initial    *initialEvents[T]
	repetition repetition
	dog        *watchdog
}

// comparable is whether the version of a frame says if it is a new one.
func (w *watching[T]) comparable() bool { return w.repetition.ordered && w.settled }

// run opens the watch and takes frames until it ends. The error is io.EOF if
// the server closed it.
func (w *watching[T]) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() { w.dog.stop() }()
	if w.state.phase == Streaming {
		w.reread.listing()
		w.initial = newInitialEvents[T]()
		w.dog = guard(cancel, w.options.bookmarkTimeout(), ErrBookmarkMissing)
	} else {
		w.settled = w.state.resourceVersion != "" && w.state.resourceVersion != "0"
		w.dog = guard(cancel, w.options.idleTimeout(), ErrWatchIdle)
	}
	stream, err := w.source.Watch(ctx, w.state.watchOptions(w.timeout()))
	if err != nil {
		return causeOf(ctx, err)
	}
	w.board.contact()
	defer stream.Stop()
	defer context.AfterFunc(ctx, stream.Stop)()
	for {
		frame, err := stream.Next()
		if broken := (*ObjectError)(nil); errors.As(err, &broken) {
			w.dog.feed()
			w.skip(ctx, err)
			continue
		}
		if err != nil {
			return causeOf(ctx, err)
		}
		w.dog.feed()
		w.frames++
		if frame.Type == watch.Bookmark && w.comparable() && older(frame.ResourceVersion, w.state.resourceVersion) {
			return fmt.Errorf("%w: a bookmark of resourceVersion %s after %s", ErrNewHistory, frame.ResourceVersion, w.state.resourceVersion)
		}
		if w.frame(ctx, frame) {
			w.dog.stop()
			w.dog = guard(cancel, w.options.idleTimeout(), ErrWatchIdle)
		}
	}
}

// skip leaves out a frame whose object can't be decoded.
func (w *watching[T]) skip(ctx context.Context, err error) {
	w.board.contact()
	w.reread.unreadable()
	w.reportObject(ctx, err)
	if w.initial == nil {
		return
	}
	if it, ok := w.unreadable(err); ok {
		w.initial.take(watch.Added, it)
	}
}

// frame takes one frame, and reports whether it closed the initial events.
func (w *watching[T]) frame(ctx context.Context, frame Frame[T]) (closed bool) {
	if w.initial != nil {
		return w.initialFrame(ctx, frame)
	}
	d := delta[T]{kind: bookmarked, resourceVersion: frame.ResourceVersion}
	if frame.Type != watch.Bookmark {
		if w.settled && w.repetition.of(frame.Type, frame.Object, w.state.resourceVersion) {
			return false
		}
		d.resourceVersion = resourceVersionOf(frame.Object)
		it, ok := w.take(ctx, frame.Object, nil, inWatch)
		if !ok {
			w.advance(frame.Type, d.resourceVersion)
			return false
		}
		d.key, d.obj = it.key, it.obj
		if d.kind = set; frame.Type == watch.Deleted {
			d.kind = deleted
		}
	}
	w.push(d)
	w.advance(frame.Type, d.resourceVersion)
	if w.frames == 1 {
		w.succeed(ctx)
	}
	return false
}

func (w *watching[T]) advance(frame watch.EventType, resourceVersion string) {
	if frame != watch.Added {
		w.settled = true
	}
	if !w.settled || resourceVersion == "" || w.comparable() && older(resourceVersion, w.state.resourceVersion) {
		return
	}
	w.state.resourceVersion = resourceVersion
	w.board.seen(resourceVersion)
}

// initialFrame takes a frame of the initial events.
func (w *watching[T]) initialFrame(ctx context.Context, frame Frame[T]) (closed bool) {
	if frame.Type != watch.Bookmark {
		if w.repetition.of(frame.Type, frame.Object, "") {
			return false
		}
		from := inWatch
		if frame.Type != watch.Deleted {
			from = w.state.listing()
		}
		if it, ok := w.take(ctx, frame.Object, nil, from); ok {
			w.initial.take(frame.Type, it)
		}
		return false
	}
	if !frame.InitialEventsEnd {
		return false
	}
	w.replace(ctx, w.initial.items(), frame.ResourceVersion, w.state.anew)
	w.initial, w.settled = nil, true
	w.state = w.state.streamed(frame.ResourceVersion)
	return true
}
