// Package ecosystem tests informers of this module inside software that is built on client-go's informers,
// against a real API server. It tests them in a controller-runtime manager, in client-go's generated
// factories and listers, with leader election, and with the dynamic and metadata clients.
//
// One server serves the whole package (see TestMain). A test waits for
// conditions, never for a time.
package ecosystem
