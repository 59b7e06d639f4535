// Package cache keeps a local, indexed copy of one API resource and tells any
// number of handlers of its changes. It is the machinery of client-go's shared
// informers, once, and typed in T from the wire to the handler.
//
//	informer := cache.New(source, cache.Options[*v1.Foo]{
//		Indexes: []cache.Index[*v1.Foo]{cache.NamespaceIndex[*v1.Foo]()},
//	})
//	informer.AddHandler(cache.HandlerFuncs[*v1.Foo]{Add: ...}, cache.HandlerOptions{})
//	go informer.Run(ctx)
//	if err := informer.WaitForSync(ctx); err != nil { ... }
//	foo, ok := informer.Store().Get(types.NamespacedName{Namespace: "ns", Name: "foo"})
//
// # Data flow
//
// A Source decodes it. The reflector lists the resource and then watches it; a
// pure state machine decides what it asks for next. It computes the object's
// key once, transforms the object, and pushes a delta into the queue, where a
// whole list is one delta. A second goroutine pops what has come in the
// meantime and commits it to the Store as one batch. The changes that the
// commit made are appended, under the same lock, to the event log, which every
// handler reads with a cursor of its own, in a goroutine of its own.
//
// # Guarantees
//
//  1. The store follows the API: the states of one object appear in it in
//     their order, though not necessarily all of them, and in the end it holds
//     the last.
//  2. Every query is answered from one state of the store.
//  3. A handler is called by one goroutine, in the order of the store's
//     changes, after the store and its indexes have changed.
//  4. A handler that joins late is first given all objects of one state of the
//     store, and then every change since that state: none is lost or doubled.
//     Nobody waits for it meanwhile.
//  5. Handlers do not slow down each other, the store or the reflector. What a
//     slow handler has still to read stays in memory; Registration.Backlog
//     tells how much that is. HandlerOptions.Coalesce bounds it by the number of
//     objects, and HandlerOptions.Limit by removing the handler.
//  6. Run returns when every goroutine that the informer started has ended.
//  7. An informer that is not in sync says why: WaitForSync and Status.
//  8. Whatever a server, proxy or connection does, the informer asks again: at once
//     after a watch that lasted, and with a growing backoff after a failure. The
//     backoff begins again as soon as a server that was down answers.
//  9. Objects are deleted because the server said so: by an event, by a list that is
//     without them, or by discovery, after a while, when the resource itself is gone.
//     A 404 alone deletes nothing.
//
// # When something fails
//
// Each failure has a class (failure.Class). After one of the connection, or of a server
// that is busy, the watch goes on where it was; after others everything is listed
// again. A resource that the server does not have is waited for (Options.AbsentRetry,
// AbsentGrace, KeepAbsent). A watch that is silent for longer than Options.IdleTimeout,
// or than three of the bookmarks that the server sends, is opened again. A watch-list
// without its closing bookmark, or cut three times in a row, becomes a list. An object
// that can't be decoded is reported, left out, and looked up by its name a few seconds
// later; one that can't be transformed or indexed is reported and left out. The others
// go on. Options.OnFailure can shorten or lengthen the backoff, or have Run give up.
// Status tells what went on lately, and HealthCheck is for liveness probes.
//
// # What versions tell
//
// Of a source whose events are known to come in the order of their resourceVersions
// (KEP-5504), as those of package source over REST are, an event that repeats the last
// one is left out, and the object of an event that is older than an earlier one of it is
// looked up. Of other sources, every event is delivered. A list tells what is another
// state by UID and resourceVersion if the versions of the list before it were those of
// etcd: no two objects had one, and none was later than the list. Otherwise, as with
// aggregated APIs that keep no versions and with fakes, the contents are compared.
//
// A delete and a create that the informer did not see apart, because they
// happened between a watch and the list that followed it, are one update with
// another UID.
//
// # What is shared
//
// Objects belong to the store, the log and all handlers at once. They must not
// be mutated: change a deep copy. With KUBE_CACHE_MUTATION_DETECTOR=true in the
// environment an informer keeps copies of its objects and panics when it finds
// one mutated.
//
// # Reading order
//
// Informer, Store, Handler and Source are typed shells of a few lines each. What is below
// them is compiled once for all types, and has objects of the type any: untyped.go is
// where the two meet. Read, in this order, informer.go and store.go for the API;
// untyped_informer.go for the goroutines; state.go, reflector.go and watch.go for what is
// asked of the server, and failure.go for what happens when that fails; delta.go and
// queue.go for the way to the store; commit.go and diff.go for what changes there;
// fanout.go and listener.go for the way to the handlers; then coalesce.go, duplicate.go,
// lookup.go and absence.go, each for one special case. internal/table is what a store is
// made of, internal/eventlog what handlers read.
package cache
