// Package metadatainformer is the compatibility layer for k8s.io/client-go/metadata/metadatainformer: the
// same names and signatures, for shared informers of the metadata of any resource. Code that uses it
// changes this one import.
//
//	New          ─► Factory ─► ForResource ─► factory.NewInformer over a metadata client
//	NewForClient ─► the same over runtime/source, which takes less time and memory
//
// The interface types are client-go's. [Factory] adds what they lack: contexts, an error that says why an
// informer is not in sync, options, and the release of one resource. SharedInformerOption is this package's
// own function type, because client-go's is a function of an unexported type.
//
// The objects of an informer are *metav1.PartialObjectMetadata, and a transform must return one: another
// result is an error of that object, where client-go stores it. Objects are shared and must not be mutated.
//
// Informers from constructors with client-go's signatures keep the objects of a resource that the server no
// longer has, as client-go's do. With New, Options.ListWatch.AbsentGrace decides.
//
// client-go's signatures need the import of k8s.io/client-go/informers, which compiles every client of
// client-go into a program.
package metadatainformer
