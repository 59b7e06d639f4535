package cache

import (
	"context"
	"net/http"
	"reflect"
	"time"
)

// Informer keeps a Store up to date with one resource of an API server, and delivers
// its changes to handlers. Its methods are safe for concurrent use, also from
// within handlers.
//
// # What a handler may rely on
//
// A handler is called with one event after the other, and never concurrently.
// It is told of a change when the store and its indexes have made it, and finds
// there that state or a later one. The old object of an update is the object that
// it was last given. Handlers hold up neither each other nor the store.
//
// Of each object it is told in the order of the store, though not of states that
// the informer itself has not seen. After a gap, which a list has closed, it is
// told of deletions first, and then of the rest in the order of the list. A
// deletion that was missed comes with the last state that was known. A deletion
// and a creation that were both missed are one update, with another UID.
//
// A handler that joins late is given every object of the store as initial, and
// then every change since, none lost or doubled. After that nothing is initial.
//
// With a resync period it is given every object as an update with itself, at a
// point where it has seen all that the store has made of that object. Of a list
// that closes a gap it is told where it differs from the store, or of all of it if
// HandlerOptions.Unchanged asks for that.
//
// A handler that panics goes on with the next event after a second, unless
// HandlerOptions.OnPanic asks for something else.
//
// # What is shared
//
// Objects belong to the store and to all handlers: they are read-only.
//
// # Start and stop
//
// An informer runs once. Handlers and indexes may be added before the start and
// while it runs, but not after it; a transform and OnFailure only before. It is in
// sync when the store holds the first list, and never if it is stopped before. A
// handler may be removed at any time, and is not called again after the call that
// runs.
//
// When its context ends an informer asks for nothing more. What still waits for a
// handler is dropped. Run waits for calls of handlers that have not returned, and
// returns when all it has started has ended. The store keeps what it holds.
type Informer[T any] struct{ core informer }

// New returns an informer that is yet to be run. T is an API type, as a pointer, or an
// interface that API types implement. If the indexes of the options
// are invalid, Run, AddHandler and WaitForSync return ErrIndexInvalid or
// ErrIndexExists.
func New[T any](source Source[T], options Options[T]) *Informer[T] {
	objects := reflect.TypeFor[T]()
	if options.ObjectType != nil {
		objects = options.ObjectType
	}
	return (*Informer[T])(newInformer(objects, untypedSource(source), describe(source), untypedOptions(&options)))
}

// Untyped returns the same informer, for code that works with objects of any type.
func (i *Informer[T]) Untyped() *Informer[any] { return (*Informer[any])(i) }

// InformerOf returns an untyped informer as the Informer[T] that New made, or false if
// it is one of another type.
func InformerOf[T any](untyped *Informer[any]) (*Informer[T], bool) {
	return (*Informer[T])(untyped), untyped.core.store.core.of == reflect.TypeFor[T]()
}

// Name returns the name of the options, or that of T.
func (i *Informer[T]) Name() string { return i.core.name() }

// Store returns the store, which is empty until the informer is in sync.
func (i *Informer[T]) Store() *Store[T] { return (*Store[T])(&i.core.store) }

// Synced returns a channel that is closed when the store holds the first list.
// It stays open if the informer stops before.
func (i *Informer[T]) Synced() <-chan struct{} { return i.core.synced }

// Stopped returns a channel that is closed when Run has ended.
func (i *Informer[T]) Stopped() <-chan struct{} { return i.core.stopped }

// Started reports whether Run was called.
func (i *Informer[T]) Started() bool { return i.core.started.Load() }

// Status returns what the informer and its handlers are doing. It waits neither for
// handlers nor for index functions.
func (i *Informer[T]) Status() Status { return i.core.status() }

// ResourceVersion returns the latest that the informer has seen in a list or a
// watch, or "". The store may not have taken it in yet.
func (i *Informer[T]) ResourceVersion() string { return i.core.recorder.get().ResourceVersion }

// SetTransform sets Options.Transform. Possible errors: ErrStarted.
func (i *Informer[T]) SetTransform(transform func(T) (T, error)) error {
	return i.core.configure(func(o *Options[any]) { o.Transform = untypedTransform(transform) })
}

// OnFailure returns Options.OnFailure, for whoever puts a function before it.
func (i *Informer[T]) OnFailure() func(context.Context, Failure) Decision {
	i.core.mu.Lock()
	defer i.core.mu.Unlock()
	return i.core.options.OnFailure
}

// SetOnFailure sets Options.OnFailure. Possible errors: ErrStarted.
func (i *Informer[T]) SetOnFailure(onFailure func(context.Context, Failure) Decision) error {
	return i.core.configure(func(o *Options[any]) { o.OnFailure = onFailure })
}

// AddIndexes registers indexes, at any time before the end of Run. Possible
// errors: ErrStopped, ErrIndexInvalid, ErrIndexExists.
func (i *Informer[T]) AddIndexes(indexes ...Index[T]) error {
	return i.core.addIndexes(indexesOf[any](indexes))
}

// AddHandler registers a handler, at any time before the end of Run. It is
// called as soon as the informer runs and the store holds the first list.
// The same handler may be added more than once. Possible errors: ErrStopped.
func (i *Informer[T]) AddHandler(handler Handler[T], options HandlerOptions) (*Registration, error) {
	return i.AddHandlerContext(context.Background(), handler, options)
}

// AddHandlerContext is AddHandler for a handler that is removed when ctx ends.
// Possible errors: ErrStopped, the cause of ctx if it has ended.
func (i *Informer[T]) AddHandlerContext(ctx context.Context, handler Handler[T], options HandlerOptions) (*Registration, error) {
	if options.Name == "" {
		options.Name = handlerName(handler)
	}
	return i.core.addHandler(ctx, untypedHandler(handler), options)
}

// Run keeps the store up to date until ctx ends, and then returns nil once every
// goroutine that it started has ended. A handler that does not return keeps it
// waiting. The logger of ctx is used, with the name of the informer. Possible
// errors: ErrStarted, since an informer runs once, ErrIndexInvalid,
// ErrIndexExists, and the failure at which Options.OnFailure had it stop.
func (i *Informer[T]) Run(ctx context.Context) error { return i.core.run(ctx) }

// WaitForSync blocks until the store holds the first list and every handler
// registered by now has been given it. Otherwise the error is a *SyncError,
// which says what the informer is doing instead, and wraps the cause of the
// context, or ErrStopped if the informer stopped.
func (i *Informer[T]) WaitForSync(ctx context.Context) error { return i.core.waitForSync(ctx) }

// WaitForResourceVersion blocks until the store has taken in everything up to
// resourceVersion. A controller that waits for the version which its last write
// returned reads its own writes (KEP-5647). Versions are compared as numbers
// (KEP-5504). Possible errors: that one is none, ErrStopped, or the cause of the
// context, with what the informer is doing instead.
func (i *Informer[T]) WaitForResourceVersion(ctx context.Context, resourceVersion string) error {
	return i.core.waitForResourceVersion(ctx, resourceVersion)
}

// HealthCheck returns a check for a liveness probe, in the form that
// controller-runtime and apiserver take. It fails if the informer has stopped, or
// if its store may have been out of step with the server for longer than stale,
// which should be several minutes: on a quiet resource a server lets itself be
// heard about once a minute. An informer that waits for its resource to be
// installed is healthy, and so is one that has not been started.
func (i *Informer[T]) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error { return i.core.status().Check(stale) }
}
