package cachetest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
	return watch.NewStreamWatcher(&eventDecoder[T]{watcher: watcher}, decodingErrors), nil
}

var decodingErrors = apierrors.NewClientErrorReporter(http.StatusInternalServerError, http.MethodGet, "ClientWatchDecoding")

// eventDecoder is a Watcher as client-go's clients read one.
type eventDecoder[T runtime.Object] struct {
	watcher cache.Watcher
	// ended reports whether the status of an error was the last event.
	ended bool
}

// Close implements watch.Decoder.
func (d *eventDecoder[T]) Close() { d.watcher.Stop() }

// Decode implements watch.Decoder.
func (d *eventDecoder[T]) Decode() (watch.EventType, runtime.Object, error) {
	if d.ended {
		return "", nil, io.EOF
	}
	next, err := d.watcher.Next()
	status := statusOf(err)
	switch {
	case status != nil:
		d.ended = true
		return watch.Error, status, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "", nil, io.ErrUnexpectedEOF // as it is, to which it is compared
	case err != nil:
		return "", nil, err
	case next.Type == watch.Bookmark:
		return next.Type, bookmarkObject[T](next), nil
	}
	obj, _ := next.Object.(runtime.Object)
	return next.Type, obj, nil
}

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
