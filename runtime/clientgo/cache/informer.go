package cache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// AdapterOptions configure an adapter. The zero value means an adapter without resyncs.
type AdapterOptions struct {
	// Resync is the resync period of handlers without one of their own, and the shortest period of handlers
	// that are added after the start. Zero disables resyncs for all handlers. For handlers that are added
	// through the adapter, it replaces the core informer's period.
	Resync time.Duration
	// Indexers are added to the indexes of the informer. An indexer that is invalid or exists already is
	// logged and left out.
	Indexers Indexers
	// Object is an example of the objects. Its Go type names the informer in logs. Nil means the zero T.
	Object runtime.Object
}

// Untyped returns a typed informer as a client-go SharedIndexInformer. An informer should have only one
// adapter, since an adapter applies the rules of resync periods and of SetTransform to its own handlers and
// calls only.
//
// StatusOf returns the informer's status, WaitForSync says why it is not in sync, and Core returns the
// informer with all of its methods.
func Untyped[T any](informer *core.Informer[T], options AdapterOptions) SharedIndexInformer {
	return newUntyped(informer.Untyped(), options)
}

// Core returns the informer of runtime/cache below an adapter. The adapter may be wrapped, as by
// client-go's typed informers. Core returns false if the informer is not from Untyped, Typed or a
// constructor of this package, or if its objects are of another type than T. For informers of
// NewSharedIndexInformer, T is runtime.Object.
func Core[T any](informer SharedIndexInformer) (*core.Informer[T], bool) {
	if i := adapterOf(informer); i != nil {
		return (*core.Informer[T])(i.informer), i.informer.Store().Reader().ObjectType() == reflect.TypeFor[T]()
	}
	return nil, false
}

// StatusOf returns the status of an informer, whatever the type of its objects. It returns false if the
// informer is not from this package.
func StatusOf(informer SharedInformer) (core.Status, bool) {
	if i := adapterOf(informer); i != nil {
		return i.informer.Status(), true
	}
	return core.Status{}, false
}

// WaitForSync waits until an informer is in sync. For an informer of this package it also waits for the
// handlers that it has. The error is then a *SyncError of runtime/cache, which says why they are not in
// sync. For any other informer it is the cause of ctx.
func WaitForSync(ctx context.Context, informer SharedInformer) error {
	if i := adapterOf(informer); i != nil {
		return i.informer.WaitForSync(ctx)
	}
	select {
	case <-SyncedChecker(informer).Done():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// HasTransform reports whether SetTransform has set a function for an informer of this package. It is false
// for any other informer.
func HasTransform(informer SharedInformer) bool {
	i := adapterOf(informer)
	if i == nil {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.transformed
}

// adapterOf returns the informer of this package below any wrappers, or nil. Wrappers hide the informer,
// but return its store.
func adapterOf(informer SharedInformer) *untypedInformer {
	x, ok := informer.GetStore().(*indexer)
	if !ok {
		return nil
	}
	return x.informer
}

// untypedInformer is an Informer with client-go's interface.
type untypedInformer struct {
	informer *core.Informer[any]
	indexer  *indexer
	// object is an example of the objects, for their type only.
	object any
	resync time.Duration
	// onFailure is the function that the informer was made with. The watch error handler is called before
	// it.
	onFailure func(context.Context, core.Failure) core.Decision

	mu sync.Mutex
	// check is the resync check period. Handlers that are added before the start lower it.
	check       time.Duration
	transformed bool
	// typed is the typed form that was requested last, or nil.
	typed SharedIndexInformer
}

func newUntyped(informer *core.Informer[any], options AdapterOptions) *untypedInformer {
	if options.Object == nil {
		options.Object, _ = reflect.Zero(informer.Store().Reader().ObjectType()).Interface().(runtime.Object)
	}
	s := &untypedInformer{
		informer:  informer,
		indexer:   newIndexer(informer.Store().Writable()),
		object:    options.Object,
		resync:    options.Resync,
		onFailure: informer.OnFailure(),
		check:     options.Resync,
	}
	s.indexer.informer, s.indexer.onDemand = s, informer.OnDemand()
	addEach(s.indexer, options.Indexers)
	return s
}

func (s *untypedInformer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

func (s *untypedInformer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

func (s *untypedInformer) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	return s.addHandler(handler, untypedHandler{handler}, options)
}

// addHandler adds h, which adapts the client-go handler given.
func (s *untypedInformer) addHandler(given any, h core.Handler[any], options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	logger := ptr.Deref(options.Logger, klog.Background())
	desired := s.resync
	if options.ResyncPeriod != nil {
		desired = *options.ResyncPeriod
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	plan := planResync(desired, s.check, s.informer.Started())
	resync := plan.period
	if resync == 0 {
		resync = -1 // never: zero is the informer's own period
	}
	name := handlerName(given)
	r, err := s.informer.AddHandler(h, core.HandlerOptions{
		Name:      name,
		Logger:    &logger,
		Resync:    resync,
		Unchanged: plan.unchanged(),
		OnPanic:   failure.PanicCrash, // as client-go's
	})
	if errors.Is(err, failure.ErrStopped) {
		return nil, fmt.Errorf("handler %v was not added to shared informer because it has stopped already", given)
	}
	if err != nil {
		return nil, err
	}
	if plan.warning != "" {
		logger.Info("Warning: "+plan.warning, "handler", name, "requested", desired, "period", plan.period, "resyncCheckPeriod", plan.check)
	}
	s.check = plan.check
	return &registration{core: r, informer: s.informer, name: s.checkerName() + " + event handler " + name}, nil
}

// RemoveEventHandler removes a handler of this informer. It ignores a handler of another informer, and one
// that was removed before.
func (s *untypedInformer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("invalid key type %T", handle)
	}
	if r.informer == s.informer {
		r.core.Remove()
	}
	return nil
}

func (s *untypedInformer) GetStore() Store { return s.indexer }

func (s *untypedInformer) GetIndexer() Indexer { return s.indexer }

func (s *untypedInformer) GetController() Controller { return idleController{s} }

func (s *untypedInformer) AddIndexers(indexers Indexers) error {
	if s.IsStopped() {
		return errIndexerStopped
	}
	return s.indexer.AddIndexers(indexers)
}

func (s *untypedInformer) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext runs the informer until ctx ends, and returns when every goroutine of it has ended. An
// informer runs once.
func (s *untypedInformer) RunWithContext(ctx context.Context) {
	switch err := s.informer.Run(ctx); {
	case err == nil:
	case errors.Is(err, failure.ErrStarted):
		klog.FromContext(ctx).Info("Warning: the sharedIndexInformer has started, run more than once is not allowed")
	default:
		utilruntime.HandleErrorWithContext(ctx, err, "Informer has ended", "informer", s.informer.Name())
	}
}

func (s *untypedInformer) HasSynced() bool { return closed(s.informer.Synced()) }

func (s *untypedInformer) HasSyncedChecker() DoneChecker {
	return doneChecker{name: s.checkerName(), done: s.informer.Synced()}
}

// checkerName returns client-go's name of the informer.
func (s *untypedInformer) checkerName() string {
	return fmt.Sprintf("SharedIndexInformer %T", s.object)
}

func (s *untypedInformer) LastSyncResourceVersion() string { return s.informer.ResourceVersion() }

func (s *untypedInformer) IsStopped() bool { return closed(s.informer.Stopped()) }

// SetTransform sets the function that is applied to every object before it is stored. Its result may be of
// any type with a namespace and a name, which should be the object's. Untyped handlers, indexes and reads
// get the result. Typed reads leave out a result that is not a T, and typed handlers get the zero T for it.
// A nil result leaves the object out.
func (s *untypedInformer) SetTransform(handler TransformFunc) error {
	var transform func(any) (any, error)
	if handler != nil {
		transform = func(obj any) (any, error) {
			out, err := handler(obj)
			if err != nil || out == nil || isA(out, s.indexer.objectType()) {
				return out, err
			}
			if _, unnamed := core.KeyOf(out); unnamed != nil {
				return nil, fmt.Errorf("%w, and without metadata: %w", typeError("result of transform", out, s.indexer.objectType()), unnamed)
			}
			return out, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.informer.SetTransform(transform); err != nil {
		return startedError(err)
	}
	s.transformed = handler != nil
	return nil
}

func (s *untypedInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	if handler == nil {
		return s.SetWatchErrorHandlerWithContext(nil)
	}
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext sets the function that is called when a list or watch fails, as in
// client-go. Nil sets the default. Failures for which client-go does not call it are logged. The reflector
// that it gets has the informer's name, for logs, and does nothing.
func (s *untypedInformer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	if handler == nil {
		return startedError(s.informer.SetOnFailure(s.onFailure))
	}
	return startedError(s.informer.SetOnFailure(func(ctx context.Context, f core.Failure) (d core.Decision) {
		handled := isForHandler(f)
		if handled {
			handler(ctx, s.reflector(), f.Err)
			f.NewClass = false // so that it is logged only once
		}
		if s.onFailure != nil {
			d = s.onFailure(ctx, f)
		}
		d.Quiet = d.Quiet || handled
		return d
	}))
}

// reflector returns a Reflector with the informer's name that does nothing.
func (s *untypedInformer) reflector() *Reflector {
	options := cache.ReflectorOptions{Name: s.informer.Name()}
	if object, _ := s.object.(runtime.Object); options.Name != informerName(object, "", InformerNameAndResource{}) {
		options.TypeDescription = options.Name // otherwise client-go describes the object
	}
	return cache.NewReflectorWithOptions(&ListWatch{}, s.object, cache.NewStore(MetaNamespaceKeyFunc), options)
}

// isForHandler reports whether client-go calls the watch error handler for a failure. It does not for the
// end of an open watch, nor for a watch that the server refused because it is down or busy. Some handlers
// end the process.
func isForHandler(f core.Failure) bool {
	return f.Phase == core.PhaseListing || !f.Opened && !utilnet.IsConnectionRefused(f.Err) && !apierrors.IsTooManyRequests(f.Err)
}

// Errors with client-go's texts.
var (
	errInformerStarted = errors.New("informer has already started")
	errIndexerStopped  = errors.New("indexer was not added because it has stopped already")
)

func startedError(err error) error {
	if errors.Is(err, failure.ErrStarted) {
		return errInformerStarted
	}
	return err
}
