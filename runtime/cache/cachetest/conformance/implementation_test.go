package conformance

import (
	"context"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Implementation has the constructors that the suite tests, with client-go's signatures. A case that needs
// a constructor that is nil fails, unless Skip has the case.
type Implementation struct {
	// Name is the name of the subtest.
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

	// Skip has the cases that do not run for the implementation, and the reasons. A key is the whole name
	// of a case ("W4 a reason"), a statement ("W4") or a family ("W").
	Skip map[string]string
	// Defects has the cases that the implementation is known to fail, and how it fails. They are run, and
	// must fail: once a defect is fixed, it must be removed here. The keys have the form of Skip's.
	Defects map[string]string
}

// Factory has the methods of a SharedInformerFactory that statements about factories need.
type Factory interface {
	Start(stopCh <-chan struct{})
	Shutdown()
	WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool
	WaitForCacheSyncWithContext(ctx context.Context) syncResult
	// InformerFor is the factory's InformerFor, without the client.
	InformerFor(obj runtime.Object, newInformer func(resync time.Duration) cache.SharedIndexInformer) cache.SharedIndexInformer
}

// FactoryOptions has what a factory's options set.
type FactoryOptions struct {
	// Resync is the default resync period; zero is no resyncs.
	Resync time.Duration
	// CustomResync has the resync periods of some types, each given by an object of it.
	CustomResync map[metav1.Object]time.Duration
	// Transform is the transform of all informers.
	Transform cache.TransformFunc
	// InformerName is the identity of the factory's informers.
	InformerName *informerName
}
