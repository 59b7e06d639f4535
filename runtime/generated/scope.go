package generated

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Scope is the part of a factory that its accessors use.
type Scope struct {
	// Factory has the informers' name for metrics and, if it is a Configurer, their options.
	Factory identified
	// InformerFor returns the informer of obj's type. The first call makes it with newInformer.
	InformerFor func(obj runtime.Object, newInformer NewInformerFunc) cache.SharedIndexInformer
	// Namespace is the namespace that the factory is limited to. It is empty for all namespaces.
	Namespace string
	// TweakListOptions narrows what informers list and watch; it may be nil.
	TweakListOptions TweakListOptionsFunc
}

// NewScope returns the part of a factory of this module that its accessors use.
func NewScope(f *factory.Factory, client any) Scope {
	return Scope{
		Factory: f,
		InformerFor: func(obj runtime.Object, newInformer NewInformerFunc) cache.SharedIndexInformer {
			return f.InformerFor(obj, func(resync time.Duration) cache.SharedIndexInformer { return newInformer(client, resync) })
		},
		Namespace:        f.Namespace(),
		TweakListOptions: f.TweakListOptions(),
	}
}

// NewInformerFunc creates an informer with the client of a factory and a resync period.
type NewInformerFunc = func(client any, resync time.Duration) cache.SharedIndexInformer

// Configurer is a factory that has options for its informers, as factory.Factory has. Other factories need
// only the methods that client-go's have.
type Configurer interface {
	// Configure completes the options of the informer of obj's type, which is about to be made, and returns
	// the function that makes its source, or nil.
	Configure(obj runtime.Object, namespaced bool, options *factory.InformerOptions) factory.Scopes
}

var _ Configurer = (*factory.Factory)(nil)

// Objects lists and watches the objects of an informer.
type Objects = core.Objects

// ObjectsFunc returns the source that an informer of a namespace, or of all for "", reads through a client.
type ObjectsFunc = func(client any, namespace string) Objects

// newInformer creates the informer of a type of objects with the factory's options.
func (s *Scope) newInformer(resource factory.Resource, obj runtime.Object, objects ObjectsFunc, client any, resync time.Duration) cache.SharedIndexInformer {
	options := factory.InformerOptions{
		ResyncPeriod:     resync,
		InformerName:     nameOf(s.Factory),
		TweakListOptions: s.TweakListOptions,
	}
	namespace := ""
	if resource.Namespaced {
		options.Indexers = cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		namespace = s.Namespace
	}
	var scopes factory.Scopes
	if f, ok := s.Factory.(Configurer); ok {
		scopes = f.Configure(obj, resource.Namespaced, &options)
	}
	if scopes == nil {
		return factory.NewInformer(resource, objects(client, namespace), options)
	}
	in := func(namespace string) core.Objects { return objects(client, namespace) }
	var metadata func(namespace string) core.Objects
	if c, ok := client.(*source.Client); ok {
		metadata = func(namespace string) core.Objects {
			return c.Objects(reflect.TypeFor[*metav1.PartialObjectMetadata](), resource.GroupVersionResource, namespace)
		}
	}
	return factory.NewInformer(resource, scopes(in, metadata), options)
}

// newObject returns an empty object of a type, which is a pointer in general.
func newObject(t reflect.Type) runtime.Object {
	if t.Kind() != reflect.Pointer {
		return nil
	}
	obj, _ := reflect.New(t.Elem()).Interface().(runtime.Object)
	return obj
}

// ClientObjects lists and watches Ts with a *source.Client.
func ClientObjects[T runtime.Object](client any, resource factory.Resource, namespace string) Objects {
	c, _ := client.(*source.Client)
	return c.Objects(reflect.TypeFor[T](), resource.GroupVersionResource, namespace)
}

// ResourceClient has the methods of a clientset's resource client that informers call.
type ResourceClient[L runtime.Object] = source.ResourceClient[L]

// ClientsetObjects lists and watches Ts with a clientset's client of the resource. client returns it, and
// is called for each request and not before.
func ClientsetObjects[T, L runtime.Object](clientset any, resource factory.Resource, namespace string, client func() ResourceClient[L]) Objects {
	return source.ClientsetObjects[T](clientset, resource.GroupVersionResource, namespace, client)
}
