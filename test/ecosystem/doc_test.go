// Package ecosystem tests informers of this module inside what others have
// built on client-go's, against a real API server: a controller-runtime
// manager, client-go's generated factories and listers, leader election, and
// the dynamic and metadata clients.
//
// One server serves the whole package (see TestMain). A test waits for
// conditions, never for a time.
package ecosystem
