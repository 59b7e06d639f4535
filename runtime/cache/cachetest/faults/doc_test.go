// Package faults measures how an informer behaves under faults, as a table whose rows
// are tests: the fault that is injected into its list, its watch, its server or its
// user's functions; how the informer handles it, how long it takes until it is up to
// date again, and with how many requests.
//
//	row ─► cachetest.API ─► HTTP ─► wire, which counts ─► informer ─► store, handler
//	    ◄───────────────── what was measured, and when ◄─────────────┘
//
// Each row is run over runtime/cache, over runtime/clientgo/cache, and over
// client-go's own informers, in bubbles of testing/synctest: an hour takes no time.
// The results of client-go are asserted like the others. FAULTS.md is the table to
// read, generated from the rows and checked by a test.
//
// The package has only tests. The faults that it injects are exported by package
// cachetest.
package faults
