package cachetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// ListerWatcher is an API, or another source, as client-go's informers and
// reflectors take it: it has the methods of ListerWatcher and
// ListerWatcherWithContext of k8s.io/client-go/tools/cache.
//
//	api := cachetest.NewAPI(pod)
//	lw := cachetest.NewListerWatcher(api.Source(), &v1.PodList{})
//	informer := cache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, cache.Indexers{})
//
// Its watches behave as those of a client-go client: a normal end, or a
// connection that breaks, closes the channel; a status, and an object that
// can't be decoded, is an event of type ERROR before that.
type ListerWatcher[T runtime.Object] struct {
	source cache.Source[T]
	list   reflect.Type
	// ListOnly says to informers that there is no watch-list here.
	ListOnly bool
}

// NewListerWatcher returns a source, an API in general, as a ListerWatcher
// whose lists are of the type of list, which is not used otherwise.
func NewListerWatcher[T runtime.Object](source cache.Source[T], list runtime.Object) *ListerWatcher[T] {
	return &ListerWatcher[T]{source: source, list: reflect.TypeOf(list).Elem()}
}

// Source returns the source.
func (l *ListerWatcher[T]) Source() cache.Source[T] { return l.source }

// IsWatchListSemanticsUnSupported is where client-go asks for ListOnly.
func (l *ListerWatcher[T]) IsWatchListSemanticsUnSupported() bool { return l.ListOnly }

// List is ListWithContext without a context.
func (l *ListerWatcher[T]) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

// Watch is WatchWithContext without a context.
func (l *ListerWatcher[T]) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

// ListWithContext returns one page of a list. As in a client that decodes it as
// a whole, an object that can't be decoded fails the page.
func (l *ListerWatcher[T]) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	var items []runtime.Object
	var broken error
	page, err := l.source.List(ctx, options, func(obj any, err error) {
		item, _ := obj.(runtime.Object) // none with an error
		items = append(items, item)
		broken = cmp.Or(broken, err)
	})
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	list, _ := reflect.New(l.list).Interface().(runtime.Object)
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(page.ResourceVersion)
	accessor.SetContinue(page.Continue)
	accessor.SetRemainingItemCount(page.RemainingItemCount)
	return list, nil
}

// WatchWithContext opens a watch.
func (l *ListerWatcher[T]) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	watcher, err := l.source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &eventWatch[T]{watcher: watcher, events: make(chan watch.Event), stopped: make(chan struct{})}
	go w.pump()
	return w, nil
}

// eventWatch is a Watcher as a channel.
type eventWatch[T runtime.Object] struct {
	watcher cache.Watcher
	// events is closed by pump.
	events chan watch.Event
	stop   sync.Once
	// stopped is closed by Stop.
	stopped chan struct{}
}

func (w *eventWatch[T]) ResultChan() <-chan watch.Event { return w.events }

func (w *eventWatch[T]) Stop() {
	w.stop.Do(func() { close(w.stopped) })
	w.watcher.Stop()
}

// pump sends what the watcher returns until it ends or is stopped.
func (w *eventWatch[T]) pump() {
	defer close(w.events)
	defer w.watcher.Stop()
	for {
		next, err := w.watcher.Next()
		event := watch.Event{Type: next.Type}
		event.Object, _ = next.Object.(runtime.Object) // none in a bookmark
		switch {
		case err != nil:
			event = errorEvent(err)
		case next.Type == watch.Bookmark:
			event.Object = bookmarkObject[T](next)
		}
		if event.Type != "" {
			select {
			case w.events <- event:
			case <-w.stopped:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// errorEvent returns what a client sends before it closes the channel: nothing
// if the stream has ended or broken.
func errorEvent(err error) watch.Event {
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status):
		s := status.Status()
		return watch.Event{Type: watch.Error, Object: &s}
	case errors.Is(err, io.ErrUnexpectedEOF), utilnet.IsProbableEOF(err), utilnet.IsTimeout(err):
		return watch.Event{}
	}
	return watch.Event{Type: watch.Error, Object: decodingErrors.AsObject(err)}
}

var decodingErrors = apierrors.NewClientErrorReporter(http.StatusInternalServerError, http.MethodGet, "ClientWatchDecoding")

// bookmarkObject returns an object with nothing but what a bookmark says.
func bookmarkObject[T runtime.Object](next cache.WatchEvent) runtime.Object {
	obj, _ := reflect.New(reflect.TypeFor[T]().Elem()).Interface().(runtime.Object)
	if m, err := meta.Accessor(obj); err == nil {
		m.SetResourceVersion(next.ResourceVersion)
		if next.InitialEventsEnd {
			m.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		}
	}
	return obj
}
