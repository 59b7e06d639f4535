// Package differential compares informers with client-go's own, over random scripts. A script has the
// events of a server, of its connections and of the handlers, in virtual time. After each step the
// handlers' events, the stores, the indexes, the versions and the synced handlers must be the same.
//
//	bytes ─► script ─► played over client-go ─────────────► transcript ─┐
//	                 ─► over runtime/clientgo/cache ──────► transcript ─┼─► differences that
//	                 ─► over runtime/cache, typed ────────► transcript ─┘   are not meant
//
// A script is played against one of three servers: a feed, whose objects may have
// any resourceVersion and UID or none, and whose events come in any order; the
// object tracker of client-go's fake clientsets; and the API of package cachetest,
// over HTTP, with real versions. Each implementation has a server of its own, to
// which the same happens.
//
// A server does not change while an informer recovers, and each step lasts until
// every informer has recovered: backoffs may differ. What else may differ is in one
// table (meant_test.go), each entry with its reason; an entry that no script of a
// fixed set needs fails a test.
//
// A script that shows another difference is made as short as possible and printed,
// with its seed:
//
//	go test ./runtime/cache/cachetest/differential -run TestScripts -seed 17 -runs 1
//	go test ./runtime/cache/cachetest/differential -run TestScripts -for 1h
//
// The package has nothing but tests.
package differential
