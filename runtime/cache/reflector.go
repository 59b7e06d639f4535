package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// reflector asks the source for what its state says, and pushes what it hears
// as deltas. It runs in one goroutine and starts no other.
type reflector[T any] struct {
	source  Source[T]
	options *Options[T]
	// push takes a delta, in order.
	push func(delta[T])
	// cached returns the object that the store has for a key.
	cached func(item[T]) (T, bool)
	board  *statusBoard

	backoff backoff
	reread  reread
	// reported is the failure that was last told of, since all was well.
	reported error
}

// run reflects until ctx ends, or a failure is to end it, which it returns.
// Whatever waits has an error to report.
func (r *reflector[T]) run(ctx context.Context) error {
	r.backoff.initial = r.options.backoff()
	s := newState(r.options.PageSize, r.watchListEnabled())
	for ctx.Err() == nil {
		var pace pace
		var err error
		before := s.phase
		if !r.waits(s) {
			r.board.enter(before)
		}
		if before == Listing {
			s, pace, err = r.list(ctx, s)
		} else {
			s, pace, err = r.watch(ctx, s)
		}
		if ctx.Err() != nil {
			break
		}
		if before == Watching {
			r.resume(s, err)
		}
		switch {
		case pace == later:
			s = r.vanish(s)
			if err := r.fail(ctx, s, before, r.explain(err)); err != nil {
				return err
			}
		case err != nil:
			r.detour(ctx, err)
		}
	}
	return nil //nolint:nilerr // that ctx has ended is how it is to end
}

// resume notes how it goes on after a watch.
func (r *reflector[T]) resume(s state, err error) {
	if s.phase == Watching {
		r.board.reconnected()
	} else {
		r.board.relisted(err)
	}
}

func (r *reflector[T]) watchListEnabled() bool {
	if r.options.DisableWatchList {
		return false
	}
	source, ok := r.source.(watchListUnsupported)
	return !ok || !source.IsWatchListSemanticsUnSupported()
}

// list fetches the pages of one list, and pushes them as one delta. The error
// is the one to report.
func (r *reflector[T]) list(ctx context.Context, s state) (state, pace, error) {
	var items []item[T]
	r.reread.listing()
	for s.phase == Listing {
		if s.token == "" {
			items = items[:0]
		}
		page, err := r.page(ctx, s, func(it item[T]) { items = append(items, it) })
		if err != nil {
			next, pace := s.listFailed(err)
			if pace == later || ctx.Err() != nil {
				return next, pace, fmt.Errorf("list: %w", err)
			}
			klog.FromContext(ctx).V(4).Info("List starts over", "err", err)
			s = next
			continue
		}
		s = s.listed(page)
	}
	r.replace(ctx, items, s.resourceVersion, s.anew)
	s.anew = false
	return s, atOnce, nil
}

// page fetches one page, unless nothing comes of it for too long.
func (r *reflector[T]) page(ctx context.Context, s state, add func(item[T])) (metav1.ListMeta, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := guard(cancel, r.options.idleTimeout(), ErrListIdle)
	defer dog.stop()
	page, err := r.source.List(ctx, s.listOptions(), func(obj T, err error) {
		dog.feed()
		if it, ok := r.take(ctx, obj, err, s.listing()); ok {
			add(it)
		}
	})
	return page, causeOf(ctx, err)
}

// replace pushes a whole list.
func (r *reflector[T]) replace(ctx context.Context, items []item[T], resourceVersion string, anew bool) {
	// The status is that of an informer in sync before anybody can see that it
	// is.
	r.board.seen(resourceVersion)
	r.board.contact()
	r.succeed(ctx)
	r.board.enter(Watching)
	r.reread.listed()
	r.push(delta[T]{kind: replaced, items: items, resourceVersion: resourceVersion, anew: anew})
}

// watch opens a watch or, in the phase Streaming, a watch-list, and pushes its
// frames. The error is the one to report.
func (r *reflector[T]) watch(ctx context.Context, s state) (state, pace, error) {
	source, ok := r.source.(ordered)
	w := &watching[T]{reflector: r, state: s, repetition: newRepetition(ok && source.OrderedResourceVersions())}
	opened := time.Now()
	err := w.run(ctx)
	if errors.Is(err, ErrWatchIdle) && w.frames == 0 {
		err = cmp.Or(r.doubt(ctx, w.state.resourceVersion), err)
	}
	if err == io.EOF { //nolint:errorlint // one that is wrapped is a connection that was cut
		err = nil
	}
	var pace pace
	if s = w.state; s.phase == Streaming {
		s, pace = s.streamEnded(err)
		return s, pace, fmt.Errorf("watch-list: %w", cmp.Or(err, ErrStreamEnded))
	}
	s, pace = s.watchEnded(err, w.frames, time.Since(opened))
	switch {
	case pace == atOnce && r.reread.watched():
		return s.start(), atOnce, fmt.Errorf("object: %w: listing to see whether it is now", ErrUndecodable)
	case pace == atOnce && err == nil:
		return s, pace, nil
	}
	return s, pace, fmt.Errorf("watch: %w", cmp.Or(err, ErrWatchTooShort))
}

// vanish deletes the objects of a resource that is not there any more.
func (r *reflector[T]) vanish(s state) state {
	if !r.waits(s) {
		return s
	}
	r.board.contact()
	if r.options.KeepAbsent || s.resourceVersion == "" {
		return s
	}
	s.resourceVersion = ""
	r.push(delta[T]{kind: replaced})
	return s
}

// waits is whether the informer waits for its resource to be installed.
func (r *reflector[T]) waits(s state) bool { return s.absent() && r.options.absentRetry() > 0 }

// doubt asks the server for its latest version, when a watch has been silent from its
// beginning: from a version that is yet to come, because the server has begun a new
// history, a watch is silent too.
func (r *reflector[T]) doubt(ctx context.Context, position string) error {
	ctx, cancel := context.WithTimeout(ctx, r.options.idleTimeout())
	defer cancel()
	latest, err := r.source.List(ctx, metav1.ListOptions{Limit: 1}, func(T, error) {})
	if err == nil && older(latest.ResourceVersion, position) {
		return fmt.Errorf("%w: it is at resourceVersion %s, after %s", ErrNewHistory, latest.ResourceVersion, position)
	}
	return nil
}

// take makes an item of what the source delivered: it computes the key, and
// transforms the object unless the store has the same state of it, whose object
// is then taken. What can't be used is reported and left out, unless the store
// has an earlier state.
func (r *reflector[T]) take(ctx context.Context, obj T, err error, from origin) (item[T], bool) {
	if err != nil {
		r.reread.unreadable()
		r.reportObject(ctx, err)
		return r.unreadable(err)
	}
	it := item[T]{obj: obj}
	if it.key, err = KeyOf(obj); err != nil {
		r.reportObject(ctx, err)
		return item[T]{}, false
	}
	old, existed := it.obj, false
	if from != inWatch {
		if old, existed = r.cached(it); existed && from == inList && sameState(old, obj) {
			it.obj = old
			return it, true
		}
	}
	if it.obj, err = r.transform(obj); err != nil {
		r.reportObject(ctx, &ObjectError{Object: keyString(it.key), Err: fmt.Errorf("transform: %w", err)})
		it.obj = old
		return it, existed
	}
	return it, true
}

// unreadable makes an item of an object of a list that could not be decoded: what is
// missing there counts as gone, so it is the one that the store has.
func (r *reflector[T]) unreadable(err error) (item[T], bool) {
	var object *ObjectError
	if !errors.As(err, &object) || object.Object == "" {
		return item[T]{}, false
	}
	it := item[T]{key: parseKey(object.Object)}
	old, existed := r.cached(it)
	it.obj = old
	return it, existed
}

func (r *reflector[T]) transform(obj T) (out T, err error) {
	if r.options.Transform == nil {
		return obj, nil
	}
	defer catch(&err)
	return r.options.Transform(obj)
}

// timeout is for how long to ask for the next watch. It is random, so that the
// watches of many informers do not end together.
func (r *reflector[T]) timeout() time.Duration {
	least := r.options.watchTimeout()
	return least + rand.N(least)
}
