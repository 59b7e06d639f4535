package conformance_test

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// typed is runtime/cache over typed sources, behind the adapters of
// runtime/clientgo/cache.
var typed = conformance.Implementation{
	Name:                   "typed",
	NewSharedIndexInformer: newTypedInformer,
	NewIndexer:             newTypedIndexer,
	NewFactory:             newFactory,
	Skip: map[string]string{
		"WL10": noDetector,
		"S10 a store transforms its objects, but not in a transaction": "in the core, the informer transforms",
		"P1 the same holds for an informer that is not shared":         noUnshared,
		"P3 the same holds for an informer that is not shared":         noUnshared,
		"P4": noUnshared,
	},
}

// Why the core is not asked for something.
const (
	noUnshared = "every informer of the core can be shared"
	noDetector = "the variable is for client-go's own tests"
)

func newTypedInformer(lw cache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	if _, ok := example.(*unstructured.Unstructured); ok {
		return newInformerOf[*unstructured.Unstructured](lw, example, options)
	}
	return newInformerOf[*v1.Pod](lw, example, options)
}

func newInformerOf[T clientgocache.TypedObject](lw cache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	src := source.FromListerWatcher[T](lw, example)
	listOnly := src.Describe().NoWatchList
	if direct, ok := lw.(interface{ Source() core.Source[T] }); ok {
		src = direct.Source()
	}
	informer := core.New(src, core.Options[T]{
		Name:             options.ObjectDescription,
		Resync:           options.ResyncPeriod,
		DisableWatchList: listOnly,
	})
	return clientgocache.Typed(informer, clientgocache.AdapterOptions{
		Resync:   options.ResyncPeriod,
		Indexers: options.Indexers,
		Object:   example,
	})
}

func newTypedIndexer(_ cache.KeyFunc, indexers cache.Indexers, _ cache.TransformFunc) cache.Indexer {
	store, err := core.NewStore(func(p *v1.Pod) (types.NamespacedName, error) { return core.KeyOf(p) })
	if err != nil {
		panic(err)
	}
	indexer := clientgocache.UntypedIndexer(store)
	if err := indexer.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return indexer
}

// factoryWithoutClient is one of informers that bring their own sources.
type factoryWithoutClient struct{ *factory.Factory }

func newFactory(options conformance.FactoryOptions) conformance.Factory {
	return factoryWithoutClient{factory.New(options.Resync,
		factory.WithCustomResyncConfig(options.CustomResync),
		factory.WithTransform(options.Transform),
		factory.WithInformerName(options.InformerName),
	)}
}
