package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// eventWatcher makes events of a cache.Watcher of the events of a client-go watch. The
// watch is stopped once: by Stop, or when Next sees the end of the context.
type eventWatcher struct {
	ctx     context.Context
	inner   watch.Interface
	check   func(runtime.Object) error
	stop    func() // inner.Stop, once
	stopped chan struct{}
}

func newEventWatcher(ctx context.Context, inner watch.Interface, check func(runtime.Object) error) *eventWatcher {
	w := &eventWatcher{ctx: ctx, inner: inner, check: check, stopped: make(chan struct{})}
	w.stop = sync.OnceFunc(func() {
		close(w.stopped)
		inner.Stop()
	})
	return w
}

// Stop stops the watch.
func (w *eventWatcher) Stop() { w.stop() }

// Next waits for the next event.
func (w *eventWatcher) Next() (cache.WatchEvent, error) {
	select {
	case <-w.stopped:
		return cache.WatchEvent{}, w.ended()
	default:
	}
	events := w.inner.ResultChan()
	select {
	case event, ok := <-events: // in a burst, without the price of a wait
		return w.received(event, ok)
	default:
	}
	select {
	case event, ok := <-events:
		return w.received(event, ok)
	case <-w.stopped:
	case <-w.ctx.Done():
		w.stop()
	}
	return cache.WatchEvent{}, w.ended()
}

func (w *eventWatcher) received(event watch.Event, ok bool) (cache.WatchEvent, error) {
	if ok {
		return w.convert(event)
	}
	select {
	case <-w.stopped: // which has closed the channel
		return cache.WatchEvent{}, w.ended()
	default:
		return cache.WatchEvent{}, io.EOF
	}
}

// clientWatchDecoding is the cause in an error that looks like a response of the server
// with the status 500: a watch of client-go ended because it could not read on.
const clientWatchDecoding metav1.CauseType = "ClientWatchDecoding"

// watchError is the error of an event of type ERROR.
func watchError(obj runtime.Object) error {
	err := statusError(obj)
	cause, ok := apierrors.StatusCause(err, clientWatchDecoding)
	if !ok {
		return err
	}
	err = errors.New(cause.Message)
	if strings.Contains(cause.Message, "http2: ") || strings.Contains(cause.Message, "stream error: ") {
		return err // of HTTP/2: what was read is good
	}
	return undecodable(err)
}

var errNoStatus = errors.New("error event without a status")

// ended returns why there are no more events.
func (w *eventWatcher) ended() error { return ended(w.ctx, errStopped) }

func (w *eventWatcher) convert(event watch.Event) (cache.WatchEvent, error) {
	switch nothing := nothing.Is(event.Object); {
	case nothing && event.Type == watch.Error:
		return cache.WatchEvent{}, errNoStatus
	case nothing:
		return cache.WatchEvent{}, &failure.ObjectError{Err: errNoObject}
	}
	switch event.Type {
	case watch.Error:
		return cache.WatchEvent{}, watchError(event.Object)
	case watch.Bookmark:
		return bookmark(event.Object)
	case watch.Added, watch.Modified, watch.Deleted:
	default:
		return cache.WatchEvent{}, &failure.ObjectError{
			Object: nameOf(event.Object),
			Err:    fmt.Errorf("came in an event of unknown type %q", event.Type),
		}
	}
	if err := kindError(event.Object); err != nil {
		return cache.WatchEvent{}, &failure.ObjectError{Err: err}
	}
	obj := event.Object
	if w.check != nil {
		if err := w.check(obj); err != nil {
			return cache.WatchEvent{}, &failure.ObjectError{Object: nameOf(obj), Err: err}
		}
	}
	return cache.WatchEvent{Type: event.Type, Object: obj}, nil
}
