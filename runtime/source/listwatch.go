package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// NewListWatch is NewFilteredListWatchFromClient of client-go, for a source that sends the requests
// and decodes the responses itself: [FromListerWatcher] of what it returns. If one of its functions is
// replaced, the source calls the functions, which are client-go's. A nil modify changes nothing.
func NewListWatch(client toolscache.Getter, resource, namespace string, modify func(*metav1.ListOptions)) *toolscache.ListWatch {
	if modify == nil {
		modify = func(*metav1.ListOptions) {}
	}
	lw := toolscache.NewFilteredListWatchFromClient(client, resource, namespace, modify)
	f := &filteredRequests{clientRequests{client, resource, namespace}, modify, *lw}
	lw.ListWithContextFunc, lw.WatchFuncWithContext = f.list, f.watch
	return lw
}

// filteredRequests has the functions of a NewListWatch.
type filteredRequests struct {
	clientRequests
	modify func(*metav1.ListOptions)
	lw     toolscache.ListWatch
}

func (f *filteredRequests) list(ctx context.Context, options metav1.ListOptions) (kruntime.Object, error) {
	if asked(ctx, func(of reflect.Type) (cache.Objects, error) {
		objects, err := f.objects(of)
		if err != nil {
			return nil, err
		}
		return newTweaked(objects, f.modify), nil
	}) {
		return nil, errAsked
	}
	if nothing.Is(f.client) {
		return nil, errNoClient
	}
	return f.lw.ListWithContext(ctx, options)
}

func (f *filteredRequests) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if nothing.Is(f.client) {
		return nil, errNoClient
	}
	return f.lw.WatchWithContext(ctx, options)
}

// question asks, in the context of a request, what the request is, instead of sending it. The function
// that would send it answers, or the transport that it would go through.
type question struct {
	// answer returns a source of such requests for objects of a type; nil if nobody has answered.
	answer func(objects reflect.Type) (cache.Objects, error)
}

// errAsked is the error of a request that was a question.
var errAsked = errors.New("request: was not sent")

// ask returns a context for a request that is a question.
func ask(ctx context.Context) (context.Context, *question) {
	q := &question{}
	return decoding.WithQuestion(ctx, q), q
}

// asked answers the question of a request, and reports whether there is one.
func asked(ctx context.Context, answer func(reflect.Type) (cache.Objects, error)) bool {
	q, ok := decoding.From(ctx).Question.(*question)
	if ok {
		q.answer = answer
	}
	return ok
}

var errNotAnswered = errors.New("its client was not made with the Config of Streaming, or its list function does not pass on the context")

// source returns a source of the requests that were asked about, for objects of a type, in place of src.
func (q *question) source(src *funcSource, objects reflect.Type) (cache.Objects, error) {
	if q.answer == nil {
		return nil, errNotAnswered
	}
	answer, err := q.answer(objects)
	if err != nil {
		return nil, err
	}
	return answeredSource{answer, src}, nil
}

// here is the package path of this package, and a dot.
var here = reflect.TypeFor[question]().PkgPath() + "."

var (
	// ownFunctions are the functions of a NewListWatch.
	ownFunctions = []string{here + "(*filteredRequests)."}
	// singleRequests are functions that send one request through a client that they have made, or were
	// given as a REST client, and return its response.
	singleRequests = []string{
		"k8s.io/client-go/tools/cache.NewFilteredListWatchFromClient.",
		"sigs.k8s.io/controller-runtime/pkg/cache/internal.(*Informers).",
	}
)

// functionsOf returns the functions that a ListerWatcher calls, if a ListWatch of
// client-go has its methods.
func functionsOf(lw toolscache.ListerWatcher) ([]any, error) {
	if _, ok := lw.(toolscache.ListerWatcherWithContext); !ok { // its other functions are called
		return nil, fmt.Errorf("a %T does not take a context", lw)
	}
	found, err := promotedFrom(reflect.ValueOf(lw), func(t reflect.Type) bool { return t == reflect.TypeFor[toolscache.ListWatch]() })
	if err != nil {
		return nil, err
	}
	if !found.CanInterface() {
		return nil, fmt.Errorf("a %T hides its ListWatch", lw)
	}
	of := found.Interface().(toolscache.ListWatch)
	functions := []any{of.ListWithContextFunc, of.WatchFuncWithContext}
	if of.ListWithContextFunc == nil {
		functions[0] = of.ListFunc //nolint:staticcheck // what is deprecated is called
	}
	if of.WatchFuncWithContext == nil {
		functions[1] = of.WatchFunc //nolint:staticcheck // as above
	}
	return functions, nil
}

// checkFunctions returns an error unless a ListerWatcher has functions with names that begin so. Functions
// of other names may filter what they list, change it, or send several requests.
func checkFunctions(lw toolscache.ListerWatcher, begins []string) error {
	functions, err := functionsOf(lw)
	if err != nil {
		return err
	}
	for _, function := range functions {
		name := "no function"
		if of := runtime.FuncForPC(reflect.ValueOf(function).Pointer()); of != nil {
			name = of.Name()
		}
		if !slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			return fmt.Errorf("its requests are sent by %s, which may change the responses", name)
		}
	}
	return nil
}

// answeredSource is a source in place of another one, which says whether there are watch-lists, and which
// watched objects fail its check.
type answeredSource struct {
	cache.Objects
	in *funcSource
}

func (s answeredSource) Describe() cache.SourceInfo {
	info := s.Objects.Describe()
	info.NoWatchList = s.in.info.NoWatchList
	return info
}

func (s answeredSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := s.Objects.Watch(ctx, options)
	if err != nil || s.in.check == nil {
		return w, err
	}
	return checkedWatcher{w, s.in.check}, nil
}
