// Package differential sends the same writes to the real API server and to that
// of cachetest, and compares the answers and the watch events.
package differential
