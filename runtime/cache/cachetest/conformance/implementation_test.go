package conformance

import (
	"context"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Implementation is what the suite is run against: constructors, with the
// signatures of client-go's. A case that needs one that is nil fails, unless it
// is in Skip.
type Implementation struct {
	// Name is that of the subtest.
	Name string

	// NewSharedIndexInformer has the signature of client-go's
	// NewSharedIndexInformerWithOptions. Most statements are about what it
	// returns.
	NewSharedIndexInformer func(cache.ListerWatcher, runtime.Object, cache.SharedIndexInformerOptions) cache.SharedIndexInformer
	// NewInformer is NewInformerWithOptions: an informer with one handler.
	NewInformer func(cache.InformerOptions) (cache.Store, cache.Controller)

	// NewIndexer may be given no transform.
	NewIndexer func(cache.KeyFunc, cache.Indexers, cache.TransformFunc) cache.Indexer
	// NewFactory returns a factory of the implementation's informers.
	NewFactory func(FactoryOptions) Factory

	// Skip says which cases the implementation is not to be asked for, and
	// why. A key is the whole name of a case ("W4 a reason"), a statement
	// ("W4") or a family ("W").
	Skip map[string]string
	// Defects says which cases it is known to fail, and how. They are run, and have to
	// fail: once a defect is fixed, it must be removed here. Keys are those of Skip.
	Defects map[string]string
}

// Factory is what statements about factories need of a SharedInformerFactory.
type Factory interface {
	Start(stopCh <-chan struct{})
	Shutdown()
	WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool
	WaitForCacheSyncWithContext(ctx context.Context) syncResult
	// InformerFor is that of the factory, less the client.
	InformerFor(obj runtime.Object, newInformer func(resync time.Duration) cache.SharedIndexInformer) cache.SharedIndexInformer
}

// FactoryOptions are what the options of a factory set.
type FactoryOptions struct {
	// Resync is the default resync period; zero is no resyncs.
	Resync time.Duration
	// CustomResync has the resync periods of some types, each given by an object of it.
	CustomResync map[metav1.Object]time.Duration
	// Transform is that of all informers.
	Transform cache.TransformFunc
	// InformerName is the identity of the factory's informers.
	InformerName *informerName
}
