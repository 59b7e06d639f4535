package cache

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// leastWatchTimeout is the minimum of MinWatchTimeout.
const leastWatchTimeout = 5 * time.Minute

// NewInformerWithOptions returns a store, and a controller that keeps it up to date with a ListerWatcher
// and calls one handler for its changes. If options.Indexers is not nil, the store is an Indexer. It must
// not be written to.
//
// The controller has synced when the handler has seen the first list. A panic of the handler ends the
// controller, and its Run raises the panic again, unless ReallyCrash is off.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	i := newUnshared(options)
	return i.informer.GetIndexer(), i
}

// NewInformer is NewInformerWithOptions with few options.
//
// Deprecated: use NewInformerWithOptions.
func NewInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler) (Store, Controller) {
	return NewTransformingIndexerInformer(lw, objType, resyncPeriod, h, nil, nil)
}

// NewIndexerInformer is NewInformerWithOptions with indexers.
//
// Deprecated: use NewInformerWithOptions.
func NewIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers) (Indexer, Controller) {
	return NewTransformingIndexerInformer(lw, objType, resyncPeriod, h, indexers, nil)
}

// NewTransformingInformer is NewInformerWithOptions with a function that is applied to every object before
// it is stored.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, transformer TransformFunc) (Store, Controller) {
	return NewTransformingIndexerInformer(lw, objType, resyncPeriod, h, nil, transformer)
}

// NewTransformingIndexerInformer is NewInformerWithOptions with indexers, and with a function that is
// applied to every object before it is stored.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers, transformer TransformFunc) (Indexer, Controller) {
	i := newUnshared(InformerOptions{
		ListerWatcher: lw,
		ObjectType:    objType,
		Handler:       h,
		ResyncPeriod:  resyncPeriod,
		Indexers:      indexers,
		Transform:     transformer,
	})
	return i.informer.GetIndexer(), i
}

// unsharedInformer is the Controller of an informer with one handler.
type unsharedInformer struct {
	informer *untypedInformer
	handler  *raisingHandler
	// synced is closed when the handler has the initial list.
	synced <-chan struct{}
	name   string
}

func newUnshared(options InformerOptions) *unsharedInformer {
	identity, provider := identityOfUnshared(options)
	informer := newSourceInformer(source.FromListerWatcher[runtime.Object](options.ListerWatcher, options.ObjectType), options.ObjectType, options.Indexers, core.Options[runtime.Object]{
		Name:      informerName(options.ObjectType, "", identity),
		Resync:    options.ResyncPeriod,
		ListWatch: core.ListWatch{WatchTimeout: max(options.MinWatchTimeout, leastWatchTimeout)},
		Metrics:   InformerMetrics(identity, provider),
	})
	handler := newRaisingHandler(options.Handler, ptr.Deref(loggerOf(options), klog.Background()))
	// An informer that has not been started takes a transform and a handler.
	_ = informer.SetTransform(options.Transform)
	handle, _ := informer.addHandler(options.Handler, untypedHandler{handler}, HandlerOptions{Logger: loggerOf(options)})
	return &unsharedInformer{
		informer: informer,
		handler:  handler,
		synced:   handle.(*registration).core.Synced(),
		name:     fmt.Sprintf("Informer %T", options.ObjectType),
	}
}

func (i *unsharedInformer) Run(stopCh <-chan struct{}) {
	i.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext runs the informer until ctx ends or the handler panics, and returns when every goroutine
// of it has ended. An informer runs once.
func (i *unsharedInformer) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	running, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(i.handler.alive, stop)()
	i.informer.RunWithContext(running)
	i.handler.raise()
}

func (i *unsharedInformer) HasSynced() bool { return closed(i.synced) }

func (i *unsharedInformer) HasSyncedChecker() DoneChecker {
	return doneChecker{name: i.name, done: i.synced}
}

func (i *unsharedInformer) LastSyncResourceVersion() string {
	return i.informer.LastSyncResourceVersion()
}
