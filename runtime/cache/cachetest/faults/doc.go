// Package faults says what becomes of an informer when something goes wrong, as a
// table whose rows are tests: what is injected into its list, its watch, its server
// or its user's functions; what it does about it, how long it takes until it is in
// step again, and with how many requests.
//
//	row ─► cachetest.API ─► HTTP ─► wire, which counts ─► informer ─► store, handler
//	    ◄───────────────── what was measured, and when ◄─────────────┘
//
// Each row is run over runtime/cache, over runtime/clientgo/cache, and over
// client-go's own informers, in bubbles of testing/synctest: an hour takes no time.
// What client-go makes of a row is as much asserted as the rest. FAULTS.md is the
// table to read, generated from the rows and checked by a test.
//
// The package has nothing but tests. What it injects is there for everybody in
// package cachetest.
package faults
