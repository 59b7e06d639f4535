// Package faults measures how an informer behaves under faults, as a table whose rows are tests. A row has
// the fault, which is injected into the informer's list, its watch, its server or its user's functions. It
// has the informer's reaction, the time until the informer is up to date again, and the number of requests.
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
