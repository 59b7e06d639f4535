// Package conformance states the guarantees of informers, as tests for any
// implementation of client-go's interfaces.
//
// A statement is one guarantee of k8s.io/client-go/tools/cache v0.37.2, taken from
// its code, its documentation and its tests, and has a name: W4 is what follows
// the error event of a watch. Cases test that it holds. They are functions of an
// Implementation, which is a struct of constructors:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Implementation{
//			Name:                   "mine",
//			NewSharedIndexInformer: mine.NewSharedIndexInformerWithOptions,
//			Skip: map[string]string{"F": "mine has no factories"},
//		})
//	}
//
// The families of statements have a file each, which is meant to be read:
//
//	list.go        L   requests of lists
//	watch.go       W   requests of watches, and what follows their end
//	watchlist.go   WL  watches that begin with the whole list
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
// client-go fixes it, the suite fails. STATEMENTS.md has the results of this module's
// implementations and of client-go for each case.
package conformance
