// Package differential sends the same writes to the real API server and to cachetest's, and compares the
// answers and the watch events.
package differential
