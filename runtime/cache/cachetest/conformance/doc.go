// Package conformance says what informers promise, as tests that any
// implementation of client-go's interfaces can be put to.
//
// A statement is one promise of k8s.io/client-go/tools/cache v0.37.2, taken from
// its code, its documentation and its tests, and has a name: W4 is what follows
// the error event of a watch. Cases show that it holds. They are functions of an
// Implementation, which is a struct of constructors:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Implementation{
//			Name:                   "mine",
//			NewSharedIndexInformer: mine.NewSharedIndexInformerWithOptions,
//			Skip: map[string]string{"Q": "mine has no queues"},
//		})
//	}
//
// The families of statements have a file each, which is meant to be read:
//
//	list.go        L   what is asked for with a list
//	watch.go       W   what is asked for with a watch, and what follows its end
//	watchlist.go   WL  watches that begin with the whole list
//	queue.go       Q   DeltaFIFO and RealFIFO
//	store.go       S   stores and indexes
//	processing.go  P   from a change of the API to the call of a handler
//	shared.go      I   handlers, resyncs, start and stop
//	factory.go     F   shared informer factories
//
// Informers run over the API in memory of package cachetest, whose log of
// requests shows what they ask for, and in a bubble of testing/synctest: a case
// that lasts an hour takes no time. What has to be fed by hand, such as objects of
// a wrong type, comes from a feed.
//
// # Defects
//
// Where client-go does not do what it should, the statement says what that is.
// Such a case is in the Defects of client-go, and there it has to fail: when
// client-go mends it, the suite says so. STATEMENTS.md shows what this module's
// implementations and client-go make of each case.
package conformance
