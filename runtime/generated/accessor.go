package generated

import (
	"reflect"
	"time"

	"k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
)

// InformerOnly gives the shared informer of a resource. Generated FooInformer interfaces have this form if
// Foos cannot be got by name, and so have no lister.
type InformerOnly interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
}

// TypedInformerOnly adds the typed informer, an I, to InformerOnly.
type TypedInformerOnly[I any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// TypedInformer returns the same informer with typed methods.
	TypedInformer() I
}

// Informer gives the shared informer of a resource and its lister, an L. Generated FooInformer interfaces
// have this form.
type Informer[L any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// Lister returns a lister over the informer's store, and creates the informer.
	Lister() L
}

// TypedInformer adds the typed informer, an I, to Informer. Generated TypedFooInformer interfaces have this
// form.
type TypedInformer[I, L any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// TypedInformer returns the same informer with typed methods.
	TypedInformer() I
	// Lister returns a lister over the informer's store, and creates the informer.
	Lister() L
}

// Access returns the accessor of a factory's informer of Ts. The first request creates the informer,
// indexed by namespace if the resource has namespaces. newLister is nil for a resource whose objects cannot
// be got by name; Lister must not be called then.
func Access[T clientgocache.TypedObject, I clientgocache.TypedSharedIndexInformer[T], L any](
	scope Scope, resource factory.Resource, objects ObjectsFunc, newLister func(cache.Indexer) L,
) TypedInformer[I, L] {
	shared := scope.accessTo(resource, reflect.TypeFor[T](), objects, func(i cache.SharedIndexInformer) cache.SharedIndexInformer { return ToTyped[T](i) })
	return &accessor[T, I, L]{informer: shared, lister: func() L { return newLister(shared().GetIndexer()) }}
}

// accessTo returns a function that returns the factory's informer of a type of objects. When the informer
// is created, typed converts it.
func (s Scope) accessTo(resource factory.Resource, of reflect.Type, objects ObjectsFunc, typed func(cache.SharedIndexInformer) cache.SharedIndexInformer) func() cache.SharedIndexInformer {
	return func() cache.SharedIndexInformer {
		obj := newObject(of)
		return s.InformerFor(obj, func(client any, resync time.Duration) cache.SharedIndexInformer {
			return typed(s.newInformer(resource, obj, objects, client, resync))
		})
	}
}

// accessor is a TypedInformer made of two functions, which return an informer of Ts and its lister. lister
// is nil for objects without a lister.
type accessor[T clientgocache.Object, I clientgocache.TypedSharedIndexInformer[T], L any] struct {
	informer func() cache.SharedIndexInformer
	lister   func() L
}

func (a *accessor[T, I, L]) Informer() cache.SharedIndexInformer { return a.informer() }

// TypedInformer returns the informer under its generated interface, which has the methods of
// TypedSharedIndexInformer.
func (a *accessor[T, I, L]) TypedInformer() I { return any(ToTyped[T](a.informer())).(I) }

func (a *accessor[T, I, L]) Lister() L { return a.lister() }

// Typed returns an Informer as a TypedInformer. The Informers of generated factories are TypedInformers;
// any other one is wrapped. The informer's objects must be of type T.
func Typed[T clientgocache.Object, I clientgocache.TypedSharedIndexInformer[T], L any](informer Informer[L]) TypedInformer[I, L] {
	if typed, ok := any(informer).(TypedInformer[I, L]); ok {
		return typed
	}
	return &accessor[T, I, L]{informer.Informer, informer.Lister}
}

// TypedOnly is Typed for an informer without a lister.
func TypedOnly[T clientgocache.Object, I clientgocache.TypedSharedIndexInformer[T]](informer InformerOnly) TypedInformerOnly[I] {
	if typed, ok := informer.(TypedInformerOnly[I]); ok {
		return typed
	}
	return &accessor[T, I, any]{informer.Informer, nil}
}

// ToTyped returns the informer itself if it is typed, and otherwise in a wrapper. The informer's objects
// must be of type T.
func ToTyped[T clientgocache.Object](informer cache.SharedIndexInformer) clientgocache.TypedSharedIndexInformer[T] {
	return clientgocache.NewTypedSharedIndexInformer[T](informer)
}
