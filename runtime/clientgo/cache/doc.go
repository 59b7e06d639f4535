// Package cache is the compatibility layer for k8s.io/client-go/tools/cache: the same names, signatures and
// guarantees, implemented by the typed core, runtime/cache. Code that makes its informers with the
// constructors of client-go's package changes this one import.
//
// Informers of a k8s.io/client-go/informers factory stay client-go's. For them, informer-gen generates a
// factory for k8s.io/api on this runtime, and the import of the factory is the one that changes (see
// "Kubernetes' own types" in docs/recipes.md).
//
// Interfaces, data types, constants and function types are aliases of client-go's, so that values fit
// wherever client-go's do. Pure helpers are client-go's functions. Informers and indexers run on the core:
//
//	NewSharedIndexInformer ─► cache.Informer[runtime.Object] over the ListerWatcher
//	NewInformer            ─► the same with one handler, as a Controller
//	Streaming              ─► NewSharedIndexInformer, which decodes for the ListerWatcher's client,
//	                          and the status and the checks of all that were made
//	Untyped, Typed         ─► a cache.Informer[T] as SharedIndexInformer, TypedSharedIndexInformer[T]
//	UntypedIndexer         ─► a cache.WritableStore[T] as Store, Indexer, TransactionStore
//	TypedIndexerOf         ─► the same as TypedIndexer[T]
//	TypedInformerOf        ─► the informer of a controller-runtime cache as TypedSharedIndexInformer[T]
//	Core                   ─► back from an adapter to its cache.Informer[T]
//
// The adapters hold no objects of their own. Every object that they return is shared with the store and all
// handlers, and must not be mutated. They are safe for concurrent use.
//
// # Keys
//
// The core keys objects by namespace and name, client-go by a string. A string is split at its first "/",
// unless it begins with "/". "ns/name" is the name "name" in the namespace "ns", and "a/b/c" the name "b/c"
// in "a". "/x" and "x" are names without a namespace. Joining gives the same string again, so any KeyFunc
// can be used with NewStore and NewIndexer.
//
// # Differences from client-go
//
//   - An IndexFunc that fails leaves the object out of that index and is logged;
//     client-go panics.
//   - GetIndexers returns a copy.
//   - An empty resourceVersion of an object or list leaves the store's version as it is, and so does an
//     older one of an object; client-go takes any version for the latest.
//   - The resourceVersion of an object is the server's, even if a transform changes it. It decides the
//     store's version, and whether a relist finds the object unchanged. client-go uses the version that the
//     transform left.
//   - An error of a transform leaves out that state of the object, also of a listed one; client-go lists
//     again and again.
//   - An object that is not of the informer's type is an error, and has no effect.
//   - The result of a transform may be of any type with a namespace and a name, as in client-go, and is an
//     error without them. Listers and typed reads leave out objects of another type; client-go's panic.
//   - A transform that returns nil filters: the store does not have that object, or loses it. client-go
//     keeps the stored object, and logs an error.
//   - The handle of a handler that was removed before it had seen the initial list reports that it has
//     synced; client-go's never does.
//   - A handler's resync period is exact, and not rounded up to a multiple of the
//     informer's.
//   - The objects of a resource that the server answers 404 for are kept, as client-go's informers keep
//     them. The informer retries about every 10 seconds, where client-go backs off, and its status has
//     PhaseAbsent. For informers over other sources, ListWatch.AbsentGrace of runtime/cache decides, with
//     Untyped and in the options of a factory.
//   - A delete of an object that the store does not have is not delivered to handlers;
//     client-go calls OnDelete.
//   - Of several items of one list with the same key, only the last one is stored and
//     delivered to handlers; client-go delivers each as new.
//   - Handlers get the deletions of objects that a list lacks, and the initial objects when
//     they are added, in the order of the store, and the objects of a watch-list in the
//     order of the server; client-go's order is that of a Go map.
//   - A relist delivers unchanged objects to handlers as client-go's does: unless the
//     informer does resyncs and the handler takes no part in them. Objects of an
//     unchanged UID, version and content are the stored ones, so that old and new
//     object of such an update are the same pointer.
//   - Events that a ListerWatcher repeats are delivered again, as in client-go. Only sources with ordered
//     versions drop duplicates: package source, over REST.
//   - A watch that can't be opened because the connection is reset, times out or breaks otherwise is
//     retried from the last version; client-go lists again unless the connection is refused. A watch that
//     is cut at once is retried too, except for the third in a row.
//   - The number of lists after a failure depends on the backoff, which is random, and is not client-go's.
//   - A watch-list whose connection is lost is retried, and one that is answered 404 or 410 twice falls
//     back to a list; client-go lists after one lost connection or 404, and retries again and again after
//     410.
//   - A watch that ends without a resourceVersion to continue from is followed by a list; client-go
//     continues without a version, and misses deletions.
//   - A server whose versions went backwards, as after a restore from a backup, is listed
//     again; client-go watches from a version in the future, and misses all events until then.
//   - A watch that is silent for 4 minutes, and a watch-list that is silent for 20 seconds before the
//     bookmark of its initial events, are closed. The watch is opened again, the watch-list falls back to a
//     list. client-go waits for the server.
//   - Failures are followed by a backoff of 0.8 to 1.6 seconds that doubles up to 30
//     to 60 seconds, and lists, watches and watch-lists share it. Retry-After is
//     respected also where client-go uses its backoff. Every wait ends with the context.
//   - A panic of a handler is logged by HandleCrash as in client-go, with the file and
//     line of the handler, and once more with the handler's name.
//   - Informers are named in logs by ObjectDescription, otherwise by the resource or kind of their objects
//     or by their type (see NewSharedIndexInformerWithOptions). client-go names them by the place where
//     they were made. Failures of lists and watches are logged once, not at each attempt.
//   - Failures for which client-go does not call the watch error handler, such as the end of an open watch,
//     are logged, the first of each class, even if there is a handler.
//   - In logs, a typed handler has its own name, not the name of a wrapper.
//   - The handler of an informer that is not shared is called in its own goroutine: the store may be ahead
//     of it. Its resync period, too, is at least a second.
//   - SetInformerMetricsProvider of client-go, which k8s.io/component-base calls, sets no provider for the
//     informers of this package. This package's function sets it for both.
//
// # Reflectors, queues and other stores
//
// Informers, shared or not, run on the core. They use no Reflector: their watch error handlers get a
// Reflector that has the informer's name and does nothing. Reflector, Config, the queues (FIFO, DeltaFIFO,
// RealFIFO), ThreadSafeStore, UndeltaStore, ExpirationCache, Heap, the mutation cache and the mutation
// detector are client-go's own, with client-go's guarantees.
//
// Everything that client-go's package exports is here. Only StoreOption has another type, because it
// configures this package's stores: WithTransformer and WithStoreMetrics make it.
package cache
