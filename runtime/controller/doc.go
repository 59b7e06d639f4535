// Package controller reconciles the keys of objects that informers follow: a queue, n
// workers and retries, between the handlers of runtime/cache and a function of the user.
//
//	informers ──► sources ──► queue ──► workers ──► Reconcile(ctx, key)
//	              keys of an   each key   ▲              │ error: again, with a backoff
//	              event        once       └──────────────┘ Result.After: again, later
//
// The function gets a key and not an event: it compares what should be with what is, both
// read from the stores of informers, and writes the difference with a client.
//
// # Guarantees
//
//   - After the last change of an object that a source maps to a key, the key is
//     reconciled, and the stores then have that change or a later one. Changes that come
//     while the key waits are one reconcile; one that comes while the key is being
//     reconciled leads to another one.
//   - A key is never reconciled by two workers at the same time.
//   - No reconcile starts before every source, and all of Options.WaitFor, is in sync, and with
//     Options.Fence as new as the server.
//   - A key is not reconciled before the stores have what its last reconcile has written with
//     clients of runtime/clients; see Writes.
//   - Keys of live changes are reconciled before those of lists and resyncs, which have at least
//     one of four turns.
//   - An update maps both the old and the new object, so that a former owner is
//     reconciled too.
//   - A reconcile that returns an error, panics or ends its goroutine is logged with its
//     key, and repeated with a backoff. Other keys are not affected.
//   - Run returns when every goroutine that it started has ended. The handlers of the
//     sources are removed then.
//
// It does not elect a leader, and does not start informers: a factory does, or whoever
// calls Informer.Run. A controller that waits for informers logs which they are.
//
// # Predicates
//
// A predicate is a func(old, obj T) bool that says which updates matter: GenerationChanged, another
// of this package, or a function literal. Sources take them, and FilterUpdates for any handler. Each
// of this package is false for an object and itself. They must be quick, and not change the objects.
//
// # Generated factories
//
// factory.Core returns the informer that the functions of this package take:
//
//	controller.KeysOf(factory.Core(informers.Shop().V1().Orders().TypedInformer()))
//
// It returns nil, which New reports, for an informer that is not one of this module. The
// handlers of such informers, and other events, call Controller.Enqueue.
package controller
