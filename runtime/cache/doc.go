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
// # The way of an object
//
// A Source decodes it. The reflector lists the resource and then watches it; a
// pure state machine decides what it asks for next. It computes the object's
// key once, transforms the object, and pushes a delta into the queue, where a
// whole list is one delta. A second goroutine pops what has come in the
// meantime and commits it to the Store as one batch. The changes that the
// commit made are appended, under the same lock, to the event log, which every
// handler reads with a cursor of its own, in a goroutine of its own.
//
// # What is promised
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
//     tells how much that is.
//  6. Run returns when every goroutine that the informer started has ended.
//  7. An informer that is not in sync says why: WaitForSync and Status.
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
package cache
