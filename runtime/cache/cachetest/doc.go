// Package cachetest tests informers, and the controllers on them, with an API server
// in memory, fault injection, and a recorder of handler calls.
//
// An API holds the objects of one resource and the history of their changes. Its method Source makes the
// source of an informer:
//
//	test ── Create, Update, Delete, Objects ──► API ◄── List, Watch ── cache.Informer ──► Recorder
//	     ── Fail, Compact, Restart, Uninstall ►     ◄── HTTP ── Server ── any client
//
// # Guarantees
//
//   - resourceVersions come from one counter, which starts at 1 for the empty API and goes up by one with
//     every create, update and delete. Nothing else raises it, so a test can write down the sequence. Only
//     Restart and Restore lower it.
//   - All pages of a list show one state. A watch from a resourceVersion replays exactly the changes after
//     it. Together they miss nothing and repeat nothing.
//   - Lists, watches, watch-lists, selectors, limits, continue tokens and compaction behave as on a real
//     server, with its errors. Where real servers may differ (a list that may be stale), the API returns
//     the latest state.
//   - Every object that goes in or out is a copy.
//   - A watch reads the history in its own time. It never misses an event and holds up no writer. A signal
//     such as CloseWatches or Bookmark reaches it after every earlier event.
//   - Nothing runs in the background and nothing waits for real time. An API that is made in a bubble of
//     testing/synctest works there, HTTP included.
//
// The history is kept until Compact. Field selectors other than metadata.name and
// metadata.namespace are refused.
//
// # Clients that write
//
// Create, Update and Delete of an API are for the test itself. They may set status, deletionTimestamp and
// any other field, and Delete does not wait for finalizers. A controller writes to a Server, with its usual
// client: controller-runtime's, a clientset, a dynamic or a metadata client.
//
//	server := cachetest.NewServer()
//	cachetest.Serve(server, widgetsv1.GroupVersion.WithResource("widgets"), "Widget", api)
//	config := &rest.Config{Transport: server, QPS: -1}
//
// It handles writes by the rules of a real server, and a differential test compares the two. The server
// sets uid, creationTimestamp, generation and managedFields. An old resourceVersion is a conflict. Status
// is written through its subresource (ServeOptions.NoStatus). An object with finalizers is deleted when the
// last of them is removed. Server-side apply knows the owner of each field. An update that changes nothing
// is no event. Types of k8s.io/api follow the rules of built-in types, which know strategic merges and
// updates without a resourceVersion. All other types follow the rules of custom resources.
//
// A Server leaves out:
//
//   - admission, and defaults and validation outside of metadata,
//   - grace periods: a deleted pod is gone at once,
//   - subresources other than status, conversion between versions, tables and warnings,
//   - controllers: after a deletion with the policy Foreground or Orphan, a test must remove the garbage
//     collector's finalizer itself.
//
// # Bubbles
//
// apimachinery's HandleError sleeps after errors. Its clock goes wrong when some errors occur outside of a
// bubble of testing/synctest and others inside: then it sleeps for decades of the bubble's time. In a
// program that imports this package that sleep is removed. Errors are logged as before.
//
// # Faults
//
// Fail scripts what goes wrong with the next requests, in order. A request can get an error instead of a
// response or in the middle of it, a delay, or silence. An object can fail to decode or be very long, and a
// body can be cut or garbled. Watch events can come twice, bookmarks can be missing, and items can come in
// another order. Requests of a Server's clients for single objects can fail and wait too: with Opened, a
// write is carried out and its response is lost.
//
//	api.Fail(
//		cachetest.Fault{Verb: cachetest.Update, Times: 3, Err: cachetest.Status(http.StatusConflict)},
//		cachetest.Fault{Verb: cachetest.Create, Opened: true, Err: cachetest.ErrConnectionReset},
//		cachetest.Fault{Verb: cachetest.List, Page: 2, Err: cachetest.Status(http.StatusGone)},
//		cachetest.Fault{Verb: cachetest.Watch, Times: 3, Err: cachetest.ErrConnectionRefused},
//		cachetest.Fault{Verb: cachetest.Watch, After: 10, Hang: true},
//	)
//
// Events of the server as a whole are methods of the API. CloseWatches, BreakWatches and Compact change no
// objects. After Restart and Restore a server comes back with another history. Uninstall and Install stand
// for a CustomResourceDefinition that goes and comes back. Fault.Do triggers them at a request, such as a
// compaction between two pages.
//
// # Controllers of your own
//
// FailRandomly makes lists and watches meet such faults at random, until ClearFaults. A controller is right
// if it ends in the right state, whatever its informers met:
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
// A seed that fails once fails again, unless the jitter of a backoff changes the order of the requests.
// Requests returns the requests and the faults that they met.
//
// client-go's informers never give up a connection that is silent for ever. For them, exclude such faults
// with Chaos.If:
//
//	func(_ cachetest.Request, f cachetest.Fault) bool { return !f.Hang }
//
// # Requests
//
// Requests returns the requests to the API, with their times and faults. So a test can also check which
// requests follow a fault, and after how long.
package cachetest
