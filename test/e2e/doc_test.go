// Package e2e tests what informer-gen writes and the runtime under it against
// a real Kubernetes API server: that at the end of any history the cache is
// what the API server says, that every handler was told the whole of it, and
// that nothing is left behind.
//
// One server serves the whole package (see TestMain); tests that need another
// start their own. A test waits for conditions, never for a time; what a test
// waits for in vain fails with its reason after a minute.
package e2e
