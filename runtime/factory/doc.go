// Package factory is the base of generated shared informer factories: the registry of
// informers, their options, and their lifecycle from Start to Shutdown.
//
//	generated NewSharedInformerFactory ─► New
//	generated Foos().Informer()        ─► runtime/generated ─► InformerFor ─► NewInformer
//	generated Foos().Lister()          ─► runtime/clientgo/listers
//
// A Factory holds one informer for each Go type, however often it is requested. A ResourceFactory is for
// clients without Go types, and holds one informer for each resource. An informer is created when it is
// first requested. It runs from the next Start until the context or channel of that Start ends, or until
// the informer is released. WaitForSync waits for all informers, and says which are not in sync and why.
// WaitForSyncOrStuck does not wait for informers that need operator action. Status returns the state of
// each informer, ReadyCheck checks that all have been in sync, and HealthCheck that all are up to date.
// Everything is safe for concurrent use.
package factory
