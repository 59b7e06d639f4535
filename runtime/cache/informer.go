package cache

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"runtime"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// Informer keeps a Store up to date with one resource of an API server, and delivers
// its changes to handlers. Its methods are safe for concurrent use, also from
// within handlers.
//
// # Guarantees for handlers
//
// A handler is called with one event after the other, and never concurrently. When it is called, the store
// and its indexes have that state or a later one. The old object of an update is the object with which the
// handler was last called for that key. Handlers block neither each other nor the store.
//
// The events of one object come in the order of the store's changes. States that the informer itself has
// not seen have no event. After a gap between two watches, the informer lists. The handler is then called
// for each object that differs from the store, or for all objects if HandlerOptions.Unchanged is set:
// deletions first, then the others in the order of the list. A deletion in the gap comes with the last
// known state. A deletion and a creation in the gap are one update, with another UID.
//
// A handler that joins late gets every object of the store as initial, and then every change since, none
// twice. Later events are not initial.
//
// With a resync period a handler gets every object as an update with itself, after all earlier changes of
// that object.
//
// A handler that panics gets the next event after a second, unless HandlerOptions.OnPanic says otherwise.
//
// # Shared objects
//
// Objects are shared by the store and all handlers: they must not be mutated.
//
// # Start and stop
//
// An informer runs once. Handlers and indexes may be added before the start and while it runs, but not
// after it. A transform and OnFailure may be set before the start only. An informer is in sync when the
// store holds the first list. It never is if it is stopped before. A handler may be removed at any time,
// and is not called again after a call that is in progress.
//
// When its context ends, an informer sends no more requests. Events that still wait for a handler are
// dropped. Run waits for handler calls in progress, and returns when every goroutine that it started has
// ended. The store keeps its objects.
type Informer[T any] struct{ engine }

// New returns an informer, which Run runs. T is an API type, as a pointer, or an interface that API types
// implement. If the indexes of the options are invalid, Run, AddHandler and WaitForSync return
// failure.ErrIndexInvalid or failure.ErrIndexExists.
func New[T any](source Source[T], options Options[T]) *Informer[T] {
	i := &Informer[T]{}
	i.setUp(source.Objects, reflect.TypeFor[T](), untypedOptions(&options))
	return i
}

// Untyped returns the same informer, for code that works with objects of any type.
func (i *Informer[T]) Untyped() *Informer[any] { return (*Informer[any])(i) }

// Name returns Options.Name, or the name of T if it is empty.
func (e *engine) Name() string { return e.name.String() }

// Source returns the description of the source.
func (e *engine) Source() SourceInfo { return e.about }

// Store returns the store, which is empty until the informer is in sync.
func (i *Informer[T]) Store() *Store[T] { return (*Store[T])(&i.store) }

// Synced returns a channel that is closed when the store holds the first list.
// It stays open if the informer stops before.
func (e *engine) Synced() <-chan struct{} { return e.synced }

// Stopped returns a channel that is closed when the informer has stopped. The store does not change any
// more then, and Run returns as soon as the handler calls in progress have returned.
func (e *engine) Stopped() <-chan struct{} { return e.stopped }

// Started reports whether Run was called.
func (e *engine) Started() bool { return e.started.Load() }

// ResourceVersion returns the latest resourceVersion that the informer has seen in a list or a watch, or
// "". The store may still be at an earlier one.
func (e *engine) ResourceVersion() string {
	if e.scopes.several() {
		return e.scopes.version()
	}
	return e.recorder.get().ResourceVersion
}

// HealthCheck returns a check for a liveness probe, in the form that controller-runtime and apiserver take.
// It fails with failure.ErrStopped if the informer has stopped. It fails with failure.ErrStale if the store
// has not been known to be up to date for longer than stale. Stale should be several minutes, since a
// server sends something only about once a minute if no object changes. Less than two minutes fails
// informers that are up to date, which is logged once. An informer that waits for its resource to be
// installed is healthy, and so is one that has not been started.
func (e *engine) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error { return e.Status().Check(stale) }
}

// SetTransform sets Options.Transform. Possible errors: failure.ErrStarted.
func (i *Informer[T]) SetTransform(transform func(T) (T, error)) error {
	return i.configure(func(o *Options[any]) { o.Transform = untypedTransform(transform) })
}

// OnFailure returns Options.OnFailure, so that a caller can wrap it.
func (e *engine) OnFailure() func(context.Context, Failure) Decision {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.options.OnFailure
}

// SetOnFailure sets Options.OnFailure. Possible errors: failure.ErrStarted.
func (e *engine) SetOnFailure(onFailure func(context.Context, Failure) Decision) error {
	return e.configure(func(o *Options[any]) { o.OnFailure = onFailure })
}

// AddIndexes registers indexes, at any time before the end of Run. Possible errors: failure.ErrStopped,
// failure.ErrIndexInvalid, failure.ErrIndexExists.
func (i *Informer[T]) AddIndexes(indexes ...Index[T]) error {
	return i.addIndexes(indexesOf[any](indexes))
}

// AddHandler registers a handler, at any time before the end of Run. The handler is called once the
// informer runs and the store holds the first list. The same handler may be added more than once. Possible
// errors: failure.ErrStopped.
func (i *Informer[T]) AddHandler(handler Handler[T], options HandlerOptions) (*Registration, error) {
	return i.AddHandlerContext(context.Background(), handler, options)
}

// AddHandlerContext is AddHandler for a handler that is removed when ctx ends. Possible errors:
// failure.ErrStopped, and the cause of ctx if it has ended.
func (i *Informer[T]) AddHandlerContext(ctx context.Context, handler Handler[T], options HandlerOptions) (*Registration, error) {
	if options.Name == "" {
		options.Name = handlerName(handler)
	}
	return i.addHandler(ctx, untypedHandler(handler), options)
}

// Get returns an object of the store, and whether it exists. The error is failure.ErrLeftOut, with the
// reason, if the server has the object but the informer could not store any state of it. An object that a
// transform drops does not exist.
//
// An informer of a set of names knows an object of the set once it has listed it. For any other object the
// error is failure.ErrUnknown, with the reason. If the set takes names on demand, Get adds the name. While
// the informer does not know the object, Get asks the server for it, for half a minute at most.
func (i *Informer[T]) Get(ctx context.Context, key types.NamespacedName) (obj T, exists bool, err error) {
	found, exists, err := i.get(ctx, key)
	return reader.As[T](found), exists, err
}

// OnDemand reports whether Get adds names to the set of names that the informer follows.
func (e *engine) OnDemand() bool { return e.about.Want != nil }

// handlerName names a handler after the place where it was added. The handler's type stands before it,
// unless the handler is made of functions.
func handlerName[T any](handler Handler[T]) string {
	place := callerOfInformer()
	switch handler.(type) {
	case HandlerFuncs[T], *HandlerFuncs[T], batchFunc[T]:
		return place
	}
	return fmt.Sprintf("%T at %s", handler, place)
}

// callerOfInformer returns the place where a method of Informer was called: the file with its folder, and
// the line.
func callerOfInformer() string {
	methods := reflect.TypeFor[HandlerOptions]().PkgPath() + ".(*Informer["
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for inside := false; ; {
		frame, more := frames.Next()
		is := strings.HasPrefix(frame.Function, methods)
		if inside && !is || !more {
			return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File)), frame.Line)
		}
		inside = inside || is
	}
}
