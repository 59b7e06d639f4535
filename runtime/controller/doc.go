// Package controller reconciles the keys of objects that informers follow. It has a queue, workers and
// retries between the handlers of runtime/cache and a function of the user.
//
//	informers ──► sources ──► queue ──► workers ──► Reconcile(ctx, key)
//	              keys of an   each key   ▲              │ error: again, with a backoff
//	              event        once       └──────────────┘ Result.After: again, later
//
// The function gets a key and not an event. It compares the desired state with the actual state, reads both
// from the stores of informers, and writes the difference with a client.
//
// # Guarantees
//
//   - After the last change of an object that a source maps to a key, the key is reconciled, and the stores
//     then have that change or a later one. All changes while the key waits lead to one reconcile. A change
//     while the key is being reconciled leads to another reconcile.
//   - A key is never reconciled by two workers at the same time.
//   - No reconcile starts before every source and all of Options.WaitFor are in sync. With Options.Fence
//     they must also have what the server has when Run is called.
//   - A key is not reconciled before the stores have what its last reconcile wrote with clients of
//     runtime/clients; see Writes.
//   - Keys of live changes are reconciled before keys of lists and resyncs, but the latter have at least
//     one of four turns.
//   - An update maps both the old and the new object to keys, so that a former owner is reconciled too.
//   - A reconcile that returns an error, panics or ends its goroutine is logged with its
//     key, and repeated with a backoff. Other keys are not affected.
//   - Run returns when every goroutine that it started has ended. By then the handlers of the sources are
//     removed.
//
// A Controller does not elect a leader, and does not start informers: a factory or Informer.Run does. A
// controller that waits for informers logs which they are.
//
// # Predicates
//
// A predicate is a func(old, obj T) bool that says which updates matter: GenerationChanged, another
// function of this package, or a function literal. Sources take predicates, and FilterUpdates adds them to
// any handler. The predicates of this package are false for an object and itself. A predicate must be
// quick, and must not change the objects.
//
// # Generated factories
//
// factory.Core returns the informer that the functions of this package take:
//
//	controller.KeysOf(factory.Core(informers.Shop().V1().Orders().TypedInformer()))
//
// It returns nil for an informer that is not one of this module, and New then returns an error. Handlers of
// such informers call Controller.Enqueue, and so does code that handles other events.
package controller
