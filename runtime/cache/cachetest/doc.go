// Package cachetest tests informers, and the controllers on them, with an API server
// in memory, fault injection, and a recorder of handler calls.
//
// An API holds the objects of one resource, and the history of their changes. Its method Source is for informers:
//
//	test ── Create, Update, Delete, Objects ──► API ◄── List, Watch ── cache.Informer ──► Recorder
//	     ── Fail, Compact, Restart, Uninstall ►     ◄── HTTP ── Server ── any client
//
// # Guarantees
//
//   - resourceVersions are those of one counter, which starts at 1 for the empty
//     API and goes up by one with every create, update and delete. Nothing else
//     raises it, so the sequence of a test can be written down. Only Restart and
//     Restore lower it.
//   - A list is of one state, on all its pages. A watch from a resourceVersion
//     replays exactly what came after it. Both together miss nothing and have
//     nothing twice.
//   - Lists, watches, watch-lists, selectors, limits, continue tokens and
//     compaction are answered as by a real server, with its errors. Where real
//     servers may differ (a list that may be stale), the answer is the latest.
//   - Every object that goes in or out is a copy.
//   - A watch reads the history in its own time. It never misses an event, holds
//     up no writer, and a signal such as CloseWatches or Bookmark reaches it
//     after every event from before.
//   - Nothing runs in the background and nothing waits for real time: all of it,
//     HTTP included, works in a bubble of testing/synctest, if it is made there.
//
// The history is kept until Compact. Field selectors other than metadata.name and
// metadata.namespace are refused.
//
// # Clients that write
//
// Create, Update and Delete of an API are for the test itself: they may set
// status, deletionTimestamp and all else, and Delete does not wait for
// finalizers. A controller writes to a Server, with the client that it
// has anyway (controller-runtime's, a clientset, a dynamic or a metadata client):
//
//	server := cachetest.NewServer()
//	cachetest.Serve(server, widgetsv1.GroupVersion.WithResource("widgets"), "Widget", api)
//	config := &rest.Config{Transport: server, QPS: -1}
//
// It answers writes by the rules of a real server, which a differential test
// holds it to: uid, creationTimestamp, generation and managedFields are the
// server's, an old resourceVersion is a conflict, status is written through
// its subresource (ServeOptions.NoStatus), an object with finalizers is deleted
// when the last of them is removed, server-side apply knows who owns which field.
// An update that changes nothing is no event. Types of k8s.io/api follow the
// rules of types that are built in, which know strategic merges and updates
// without a resourceVersion; all others those of custom resources.
//
// What it leaves out: admission, defaults and validation of what is not
// metadata; grace periods, so that a pod that is deleted is gone at once;
// subresources other than status; conversion between versions; tables; warnings;
// and controllers, so that a deletion with the policy Foreground or Orphan waits for
// an explicit removal of the garbage collector's finalizer.
//
// # Bubbles
//
// apimachinery's HandleError sleeps after errors, by a clock that goes wrong
// when some of them occur outside of a bubble of testing/synctest and others
// inside: for decades of the bubble's time. A program that imports this package
// has that sleep removed; errors are logged as before.
//
// # Faults
//
// Fail scripts what goes wrong with the requests that come, in order: an error
// instead of an answer or in the middle of one, a delay, silence, an object that
// can't be decoded or is very long, a body that is cut or garbled, watch events that
// come again, bookmarks that don't, items in another order. Requests of a Server's clients for
// single objects fail and wait too: with Opened, a write is carried out and its answer lost.
//
//	api.Fail(
//		cachetest.Fault{Verb: cachetest.Update, Times: 3, Err: cachetest.Status(http.StatusConflict)},
//		cachetest.Fault{Verb: cachetest.Create, Opened: true, Err: cachetest.ErrConnectionReset},
//		cachetest.Fault{Verb: cachetest.List, Page: 2, Err: cachetest.Status(http.StatusGone)},
//		cachetest.Fault{Verb: cachetest.Watch, Times: 3, Err: cachetest.ErrConnectionRefused},
//		cachetest.Fault{Verb: cachetest.Watch, After: 10, Hang: true},
//	)
//
// What happens to the server as a whole are methods of the API: CloseWatches,
// BreakWatches, Compact; Restart and Restore for one that comes back with
// another history; Uninstall and Install for a CustomResourceDefinition that
// goes and comes. Fault.Do makes them happen at a request, such as a compaction
// between two pages.
//
// # Controllers of your own
//
// FailRandomly lets lists and watches meet such faults at random, until
// ClearFaults. A controller is right if it ends in the right state after
// whatever happened to its informers:
//
//	func TestController(t *testing.T) {
//		for seed := range uint64(100) {
//			synctest.Test(t, func(t *testing.T) {
//				api := cachetest.NewAPI(pods...)
//				api.FailRandomly(cachetest.Chaos{Seed: seed})
//				startController(t, api)
//				// ... write to the API, with time.Sleep between ...
//				api.ClearFaults()
//				time.Sleep(time.Hour) // longer than any backoff: no time at all here
//				requireAllIsWell(t, api, seed)
//			})
//		}
//	}
//
// A seed that fails once fails again, unless the jitter of a backoff lets requests come in another
// order; Requests says which they were, and what they met.
//
// client-go's informers never give up a connection that is silent for ever. They
// need a Chaos.If that leaves it out:
//
//	func(_ cachetest.Request, f cachetest.Fault) bool { return !f.Hang }
//
// # Requests
//
// Requests returns the requests to the API, with their times and faults, so
// that a test can also say which requests a fault may lead to, and after how
// long.
package cachetest
