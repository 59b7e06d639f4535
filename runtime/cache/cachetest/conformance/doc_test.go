// Package conformance tests the guarantees of informers on three implementations of
// client-go's interfaces: the core, clientgo/cache and client-go.
//
// A statement is one guarantee of k8s.io/client-go/tools/cache v0.37.2, taken from
// its code, its documentation and its tests, and has a name: W4 is about what
// follows the error event of a watch. Cases test that it holds. They are functions of an
// Implementation, which is a struct of constructors.
//
// The families of statements have a file each, which is meant to be read:
//
//	list_test.go        L   requests of lists
//	watch_test.go       W   requests of watches, and what follows their end
//	watchlist_test.go   WL  watches that begin with the whole list
//	store_test.go       S   stores and indexes
//	processing_test.go  P   from a change of the API to the call of a handler
//	shared_test.go      I   handlers, resyncs, start and stop
//	factory_test.go     F   shared informer factories
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
