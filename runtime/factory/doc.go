// Package factory is what generated shared informer factories are made of: the
// registry of informers, their options, and their life from Start to Shutdown.
//
//	generated NewSharedInformerFactory ─► New
//	generated Foos()                   ─► Namespaced or ClusterScoped
//	          Foos().Informer()        ─► InformerFor ─► NewInformer
//	generated Foos().Lister()          ─► runtime/clientgo/listers
//
// A Factory holds one informer for each Go type, however often it is asked for
// one, and a ResourceFactory, for clients without Go types, one for each
// resource. Informers are created when they are first asked for, and run from
// the next Start on until its context or channel ends, or they are released.
// WaitForSync says which are not in sync and why, without waiting for those that
// only somebody can help, Status what each is doing, and HealthCheck whether all are
// in step with the server. Everything is safe for concurrent use.
package factory
