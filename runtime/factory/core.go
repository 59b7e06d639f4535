package factory

import (
	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// Core returns the informer of runtime/cache below a typed informer, with all that it
// can do: handlers that coalesce, have a limit, take batches or have a policy for panics,
// typed indexes, iterations, and the status. The compiler finds T by itself:
//
//	orders := factory.Core(f.Shop().V1().Orders().TypedInformer())
//	orders.AddHandler(cache.InBatches(save), cache.HandlerOptions{Limit: 10_000})
//
// It is a function, and no method of generated code, since each generated package would
// then compile all methods of all of its informers. It returns nil if the informer is not
// one of this module.
func Core[T clientgocache.Object](informer clientgocache.TypedSharedIndexInformer[T]) *core.Informer[T] {
	i, _ := clientgocache.Core[T](informer)
	return i
}
