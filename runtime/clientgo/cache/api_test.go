package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// The adapters have the types that client-go takes.
var (
	_ cache.SharedIndexInformer              = (*untypedInformer)(nil)
	_ cache.Indexer                          = (*indexer)(nil)
	_ cache.ReflectorStore                   = (*indexer)(nil)
	_ cache.KeyListerGetter                  = (*indexer)(nil)
	_ cache.Controller                       = idleController{}
	_ cache.ResourceEventHandlerRegistration = (*registration)(nil)
)

// The constructors have client-go's signatures, except for StoreOption. The second has the signature of
// controller-runtime's cache.Options.NewInformer.
var (
	_ func(cache.ListerWatcher, runtime.Object, time.Duration) cache.SharedInformer                         = NewSharedInformer
	_ func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer    = NewSharedIndexInformer
	_ func(cache.ListerWatcher, runtime.Object, cache.SharedIndexInformerOptions) cache.SharedIndexInformer = NewSharedIndexInformerWithOptions
	_ func(cache.KeyFunc, ...StoreOption) cache.Store                                                       = NewStore
	_ func(cache.KeyFunc, cache.Indexers, ...StoreOption) cache.Indexer                                     = NewIndexer
	_ func(cache.TransformFunc) StoreOption                                                                 = WithTransformer
)
