// Package factory is the base of generated shared informer factories: the registry of
// informers, their options, and their lifecycle from Start to Shutdown.
//
//	generated NewSharedInformerFactory ─► New
//	generated Foos().Informer()        ─► runtime/generated ─► InformerFor ─► NewInformer
//	generated Foos().Lister()          ─► runtime/clientgo/listers
//
// A Factory holds one informer for each Go type, however often it is requested, and
// a ResourceFactory, for clients without Go types, one for each resource. Informers
// are created when they are first requested, and run from the next Start on until its
// context or channel ends, or they are released. WaitForSync reports which are not in
// sync and why, WaitForSyncOrStuck too, without waiting for those that need operator
// action, Status the state of each, ReadyCheck whether all have been in sync, and HealthCheck
// whether all are up to date.
// Everything is safe for concurrent use.
package factory
