// Package metadatainformer is the compatibility layer for
// k8s.io/client-go/metadata/metadatainformer: the same names and signatures, for shared
// informers of the metadata of any resource. Code that uses it changes the one import.
//
//	New          ─► Factory ─► ForResource ─► factory.NewInformer over a metadata client
//	NewForClient ─► the same over runtime/source, which takes less time and memory
//
// The interface types are client-go's. What they lack is in [Factory]: contexts,
// an error that says why an informer is not in sync, options, and the release of
// one resource. SharedInformerOption is a function of this package's own,
// because client-go's is one of an unexported type.
//
// The objects of an informer are *metav1.PartialObjectMetadata, and a transform
// has to return one: another result is an error of that object, where client-go
// stores it. Objects are shared and must not be mutated.
//
// Constructors with client-go's signatures make informers that keep the objects of a
// resource that the server no longer has, as client-go's do. With New, it depends on
// Options.ListWatch.AbsentGrace.
//
// The import of k8s.io/client-go/informers, which client-go's signatures ask
// for, compiles every client of client-go into a program.
package metadatainformer
