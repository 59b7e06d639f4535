// Package cache is k8s.io/client-go/tools/cache over the typed machinery of
// runtime/cache: the same names, the same signatures, the same promises. Code
// written against client-go's informers changes this one import.
//
// Interfaces, data types, constants and function types are aliases of
// client-go's, so that values fit wherever client-go's do, and pure helpers
// are forwarded to client-go. What stores, watches and notifies is the core:
//
//	NewSharedIndexInformer ─► cache.Informer[runtime.Object] over the ListerWatcher
//	Untyped, Typed         ─► a cache.Informer[T] as SharedIndexInformer, TypedSharedIndexInformer[T]
//	UntypedIndexer         ─► a cache.Store[T] as Store, Indexer, TypedIndexer[T], TransactionStore
//	Core                   ─► back from an adapter to its cache.Informer[T]
//
// The adapters hold no objects of their own. Every object that they hand out is
// shared with the store and all handlers, and must not be mutated. They are
// safe for concurrent use.
//
// # Keys
//
// The core keys objects by namespace and name, client-go by a string. A string
// is split at its first "/", unless it begins with it: "ns/name" is the name
// "name" in the namespace "ns", "a/b/c" the name "b/c" in "a", and "/x" and "x"
// are names without a namespace. Joining gives the same string again, so any
// KeyFunc can be used with NewStore and NewIndexer.
//
// # What differs from client-go
//
//   - An IndexFunc that fails leaves the object out of that index and is logged;
//     client-go panics.
//   - GetIndexers returns a copy.
//   - An empty resourceVersion, of an object or of a list, leaves that of the
//     store as it is.
//   - An error of a transform leaves out that state of the object, of a list too;
//     client-go lists again and again.
//   - An object, or the result of a transform, that is not of the informer's
//     type is an error, and of no effect. An untyped informer holds any
//     runtime.Object, but no other result of a transform.
//   - The handle of a handler that was removed before it had seen the initial
//     list reports that it has synced; client-go's never does.
//   - A handler's resync period is kept to the letter, and not rounded up to a
//     multiple of the informer's.
//   - HandlerOptions.Logger is used while the handler is added, not for it
//     afterwards.
//   - Names of typed handlers in logs are those of the handler given, not of a
//     wrapper around it.
//
// # What is not provided
//
// StoreOption is a function of this package's own, because client-go's is one
// of an unexported type; WithTransformer makes it.
//
// Reflectors (NewReflector and its variants; Reflector itself is an alias, for
// the watch error handlers), controllers and unshared informers (New, NewInformer,
// NewIndexerInformer, NewInformerWithOptions and the transforming variants),
// NewThreadSafeStore, expiration and TTL stores, NewRetryWithDeadline,
// WithStoreMetrics and the metrics of reflectors are not part of this package: take
// client-go's, which work beside these.
package cache
