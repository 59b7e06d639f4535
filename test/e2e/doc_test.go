// Package e2e tests the generated code and the runtime under it against a real Kubernetes API server. At
// the end of any history the cache must be equal to the API server's list, every handler must have got the
// whole history, and nothing may be left behind.
//
// One server serves the whole package (see TestMain); tests that need another
// start their own. A test waits for conditions, never for a time; what a test
// waits for in vain fails with its reason after a minute.
package e2e
