// Package field tests informers under the conditions that they meet outside of a test cluster. There are
// proxies and load balancers with timeouts of their own, API servers that restart, pages of HTML, login
// pages, half-open connections, servers whose resourceVersions do not grow, and fake clientsets.
//
//	cachetest.API ◄─ proxy ◄─ net/http server ◄─ network ◄─ net/http client ◄─ informer ─► store, handler
//	       measured here ──────────┘                                measured here ──────────────┘
//
// A row is a condition. It is tested with an informer of runtime/cache, with one of runtime/clientgo/cache,
// and with one of client-go. They run over net/http's real client and server, with their timeouts, in
// HTTP/1.1 or in HTTP/2 over TLS. The test measures the share of time without an open watch, how late the
// latest of the changes arrived, and the number of requests. It also measures how soon after the condition
// store and handler are up to date, and counts the deletions that handlers got and that did not happen.
//
// The rows run in bubbles of testing/synctest, where an hour takes no time and
// connections are pipes in memory. The same rows run in real time over TCP:
//
//	make field                  each condition for two minutes at the most
//	make field DURATION=10m     for ten minutes
//
// FIELD.md has the bounds that are asserted, beside what was measured when it was
// written.
//
// The package has nothing but tests.
package field
