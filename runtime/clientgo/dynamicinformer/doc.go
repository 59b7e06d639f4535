// Package dynamicinformer is the compatibility layer for k8s.io/client-go/dynamic/dynamicinformer: the same
// names and signatures, for shared informers of resources that are known at run time only. Code that uses
// it changes this one import.
//
//	New          ─► Factory ─► ForResource ─► factory.NewInformer over a dynamic client
//	NewForClient ─► the same over runtime/source, which takes less time and memory
//
// The interface types are client-go's. [Factory] adds what they lack: contexts, an error that says why an
// informer is not in sync, options, and the release of one resource, for when its definition is deleted.
//
//	factory := dynamicinformer.New(client, dynamicinformer.Options{})
//	defer factory.Shutdown()
//	orders := factory.ForResource(resource)
//	factory.StartWithContext(ctx)
//	if err := factory.WaitForSyncOrStuck(ctx); err != nil {
//		return err
//	}
//	...
//	<-factory.Release(resource) // handlers have returned for the last time
//
// The objects of an informer are *unstructured.Unstructured. The informer's typed form comes from
// cache.NewTypedSharedIndexInformer[*unstructured.Unstructured]. A transform must return a
// *unstructured.Unstructured too: another result is an error of that object, where client-go stores it.
// Objects are shared and must not be mutated.
//
// Informers from constructors with client-go's signatures keep the objects of a resource that the server no
// longer has, as client-go's do. With New, Options.ListWatch.AbsentGrace decides.
//
// client-go's signatures need the import of k8s.io/client-go/informers, which compiles every client of
// client-go into a program.
package dynamicinformer
