// Package cache keeps a local, indexed copy of one API resource, and delivers its changes to any number of
// handlers. It does what client-go's shared informers do, typed in T from the wire to the handler.
//
//	informer := cache.New(source, cache.Options[*v1.Foo]{
//		Indexes: []cache.Index[*v1.Foo]{cache.NamespaceIndex[*v1.Foo]()},
//	})
//	informer.AddHandler(cache.HandlerFuncs[*v1.Foo]{Add: ...}, cache.HandlerOptions{})
//	go informer.Run(ctx)
//	if err := informer.WaitForSync(ctx); err != nil { ... }
//	foo, ok, err := informer.Get(ctx, types.NamespacedName{Namespace: "ns", Name: "foo"})
//
// # Data flow
//
// The reflector (reflector.go, watch.go) lists the resource and then watches it. A pure state machine
// (internal/protocol) decides on the next request, and report.go logs failures. A Source decodes each
// object. The reflector computes the object's key, once, transforms the object, and pushes a delta
// (delta.go) into the queue. A whole list is one delta. A second goroutine (engine.go) pops the waiting
// deltas, and commits them to the Store as one batch (change.go, commit.go, diff.go). The changes of the
// commit are appended to the event log under the same lock. Each handler reads the log with its own cursor,
// in its own goroutine (fanout.go, listener.go).
//
// Each reflector has a scope that it lists and watches: everything or, in an informer of several namespaces
// or of a set of names, one of these (scope.go, scopes.go). All scopes share one queue and one store.
//
// Informer, Store and Handler are typed shells. The code below them is compiled once for all types, and
// handles objects of the type any: untyped.go converts between the two.
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
//     store, and then every change since that state, none twice. Other handlers and
//     the store do not wait for it meanwhile.
//  5. Handlers do not slow down each other, the store or the reflector. Events that a
//     slow handler has still to read stay in memory; Registration.Backlog is their
//     number. HandlerOptions.Coalesce bounds it by the number of objects, and
//     HandlerOptions.Limit by removing the handler.
//  6. Run returns when every goroutine that the informer started has ended.
//  7. An informer that is not in sync says why: WaitForSync and Status.
//  8. Whatever a server, proxy or connection does, the informer retries: at once after
//     a watch that lasted, and with a growing backoff after a failure. The backoff is
//     reset as soon as a server that was down answers.
//  9. Objects are deleted only because of what the server sent: an event, a list
//     without them or, after a while, discovery without the resource. A list counts at
//     once if it has the group, version and kind of the resource, and a doubtful one
//     after five minutes of these. A 404 alone deletes nothing.
//
// # Failures
//
// Each failure has a class (failure.Class). After a failure of the connection, or of a busy server, the
// watch continues where it was. After other failures everything is listed again. A resource that the server
// does not have is requested until it is installed (ListWatch.AbsentGrace). A silent watch is opened again
// (ListWatch.IdleTimeout).
//
// A watch-list without its closing bookmark falls back to a list. So does the third watch-list in a row
// that is cut, or that a busy server refuses. A list whose version expires at once is followed by a list of
// the latest state.
//
// An object that can't be decoded is reported, left out, and looked up by its name a few seconds later. An
// object that can't be transformed or indexed is reported and left out. Other objects are not affected.
// Options.OnFailure can shorten or lengthen the backoff, or end Run. Status says what went wrong lately,
// and HealthCheck is for liveness probes.
//
// # Versions
//
// Sources over REST of package source deliver events in the order of their resourceVersions (KEP-5504).
// With such a source, a duplicate of an object's last event is left out, and an object whose event is older
// than an earlier event is looked up by name. With any other source, every event is delivered.
//
// A relist compares objects with the stored ones. It compares UIDs and resourceVersions if the versions of
// the list before were like etcd's: no two objects had the same version, and no version was later than the
// list's. Otherwise it compares contents, as for aggregated APIs that keep no versions, and for fakes.
//
// If an object is deleted and created again between a watch and the next list, handlers get one update with
// another UID.
//
// # Shared objects
//
// Objects are shared by the store, the log and all handlers. Treat them as read-only, and change a deep
// copy. With KUBE_CACHE_MUTATION_DETECTOR=true in the environment an informer keeps copies of its objects
// and panics when it finds one mutated.
package cache
