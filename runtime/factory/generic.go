package factory

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// GenericInformer gives an informer and a lister of objects whose type is known at run time only.
type GenericInformer interface {
	// Informer returns the shared informer.
	Informer() cache.SharedIndexInformer
	// Lister returns a lister over the informer's store.
	Lister() cache.GenericLister
}

// NewGenericInformer returns a GenericInformer of an informer. Its lister names the resource in errors. Two
// results for the same informer are equal.
func NewGenericInformer(informer cache.SharedIndexInformer, resource schema.GroupResource) GenericInformer {
	return genericInformer{informer: informer, resource: resource}
}

type genericInformer struct {
	informer cache.SharedIndexInformer
	resource schema.GroupResource
}

func (g genericInformer) Informer() cache.SharedIndexInformer { return g.informer }

func (g genericInformer) Lister() cache.GenericLister {
	return cache.NewGenericLister(g.informer.GetIndexer(), g.resource)
}
