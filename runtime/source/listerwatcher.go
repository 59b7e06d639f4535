package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// FromListerWatcher returns a source that lists and watches with a client-go
// ListerWatcher, preferably with its functions that take a context. T may be runtime.Object. It decodes
// the responses to the requests of a [NewListWatch]; other functions decode theirs, see [Streaming].
//
// An object that is watched must have the Go type of expected, and, if that
// one is unstructured with a kind set, its kind; other objects are reported as
// *failure.ObjectError. With a nil expected, every T is accepted.
//
// List and Watch return when their context ends, even if the ListerWatcher
// ignores it; a later result is dropped, and a watch stopped. A panic of the
// ListerWatcher is raised by List and Watch.
func FromListerWatcher[T runtime.Object](lw toolscache.ListerWatcher, expected runtime.Object) cache.Source[T] {
	return cache.Source[T]{Objects: newListerWatcherSource(lw, expected)}
}

func newListerWatcherSource(lw toolscache.ListerWatcher, expected runtime.Object) cache.Objects {
	src := newCallingSource(lw, expected)
	if checkFunctions(lw, ownFunctions) != nil {
		return src
	}
	ctx, q := ask(context.Background())
	_, _ = toolscache.ToListerWithContext(lw).ListWithContext(ctx, metav1.ListOptions{}) // which sends nothing
	own, err := q.source(src, reflect.TypeOf(expected))
	if err != nil {
		src.leave(err)
		return src
	}
	return own
}

// newCallingSource returns a source that calls the functions of a ListerWatcher for each list and watch.
func newCallingSource(lw toolscache.ListerWatcher, expected runtime.Object) *funcSource {
	inner := toolscache.ToListerWatcherWithContext(lw)
	src := newFuncSource(cache.SourceInfo{NoWatchList: lacksWatchLists(lw)},
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return await(ctx, func() (runtime.Object, error) {
				return inner.ListWithContext(ctx, options)
			}, nil)
		},
		func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return await(ctx, func() (watch.Interface, error) {
				return inner.WatchWithContext(ctx, options)
			}, func(late watch.Interface) {
				if late != nil {
					late.Stop()
				}
			})
		})
	src.check = expect(expected)
	if u, ok := expected.(runtime.Unstructured); ok {
		src.requested = u.GetObjectKind().GroupVersionKind().GroupVersion()
	}
	return src
}

// expect returns a check for objects like expected, nil for none.
func expect(expected runtime.Object) func(runtime.Object) error {
	if expected == nil {
		return nil
	}
	goType := reflect.TypeOf(expected)
	var gvk schema.GroupVersionKind
	if u, ok := expected.(runtime.Unstructured); ok {
		gvk = u.GetObjectKind().GroupVersionKind()
	}
	return func(obj runtime.Object) error {
		if found := reflect.TypeOf(obj); found != goType {
			return fmt.Errorf("is a %s, not a %s", found, goType)
		}
		if found := obj.GetObjectKind().GroupVersionKind(); !gvk.Empty() && found != gvk {
			return fmt.Errorf("is a %s, not a %s", found, gvk)
		}
		return nil
	}
}

// errExited is reported for a call that ended its goroutine, as the FailNow of
// a test does.
var errExited = errors.New("call ended its goroutine")

// await returns what call returns, or an error as soon as ctx ends. A panic of
// call is raised here. A result that comes too late is passed to drop, if that
// is not nil.
func await[R any](ctx context.Context, call func() (R, error), drop func(R)) (R, error) {
	type result struct {
		value    R
		err      error
		panicked any
	}
	var zero R
	if ctx.Err() != nil {
		return zero, ended(ctx, ctx.Err())
	}
	done := make(chan result) // not buffered: a result is either taken or dropped
	go func() {
		out := result{err: errExited}
		defer func() {
			if r := recover(); r != nil {
				out.panicked = r
			}
			select {
			case done <- out:
			case <-ctx.Done():
				if drop != nil && out.err == nil {
					drop(out.value)
				}
			}
		}()
		out.value, out.err = call()
	}()
	select {
	case out := <-done:
		if out.panicked != nil {
			panic(out.panicked)
		}
		return out.value, out.err
	case <-ctx.Done():
		return zero, ended(ctx, ctx.Err())
	}
}
