package factory

import (
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
)

// Core returns the informer of runtime/cache below a typed informer. It has what client-go's interface
// lacks: handlers that coalesce, have a limit, take batches or have a policy for panics, typed indexes,
// iterations, and the status. The compiler infers T:
//
//	orders := factory.Core(f.Shop().V1().Orders().TypedInformer())
//	orders.AddHandler(cache.InBatches(save), cache.HandlerOptions{Limit: 10_000})
//
// Core is a function, and not a method of generated code, since each generated package would then compile
// all methods of all of its informers. It returns nil if the informer is not one of this module.
func Core[T clientgocache.Object](informer clientgocache.TypedSharedIndexInformer[T]) *core.Informer[T] {
	i, _ := clientgocache.Core[T](informer)
	return i
}

// CoreIndex converts an index of generated listers to an index of runtime/cache. It finds objects in the
// store of any informer that has the index:
//
//	store := factory.Core(f.Shop().V1().Orders().TypedInformer()).Store()
//	orders, err := factory.CoreIndex(orderlisters.OrderByWarehouse).Find(store, "north")
//
// CoreIndex is a function for the same reason as Core.
func CoreIndex[T any](x listers.Index[T]) core.Index[T] {
	index := core.Index[T]{Name: x.Name, Value: x.Value}
	if x.Values != nil {
		index.Values = func(obj T) ([]string, error) { return x.Values(obj), nil }
	}
	return index
}

// addIndexes adds the indexes of a resource to an informer, but for those that the options
// replace. One that is invalid is logged and left out.
func addIndexes(informer *core.Informer[any], resource Resource, options InformerOptions) {
	for _, x := range resource.Indexes {
		if _, replaced := options.Indexers[x.Name]; replaced {
			continue
		}
		if err := informer.AddIndexes(CoreIndex(x)); err != nil {
			klog.Background().Error(err, "Index not added", "informer", resource)
		}
	}
}
