package factory

import (
	"reflect"

	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// InformerOnly returns the shared informer of a resource. Generated FooInformer
// interfaces have this form if Foos cannot be got by name, and so have no
// lister.
type InformerOnly interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
}

// TypedInformerOnly is InformerOnly with the typed informer, an I.
type TypedInformerOnly[I any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// TypedInformer returns the same informer with typed methods.
	TypedInformer() I
}

// Informer returns the shared informer of a resource, and its lister, an L.
// Generated FooInformer interfaces have this form.
type Informer[L any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// Lister returns a lister over the informer's store, and creates the informer.
	Lister() L
}

// TypedInformer is Informer with the typed informer, an I. Generated
// TypedFooInformer interfaces have this form.
type TypedInformer[I, L any] interface {
	// Informer returns the shared informer, which the factory creates once.
	Informer() cache.SharedIndexInformer
	// TypedInformer returns the same informer with typed methods.
	TypedInformer() I
	// Lister returns a lister over the informer's store, and creates the informer.
	Lister() L
}

// Core returns the informer of runtime/cache below a typed informer, with all that it
// can do: handlers that coalesce, have a limit, take batches or have a policy for panics,
// typed indexes, iterations, and the status. The compiler finds T by itself:
//
//	orders := factory.Core(f.Shop().V1().Orders().TypedInformer())
//	orders.AddHandler(cache.InBatches(save), cache.HandlerOptions{Limit: 10_000})
//
// It is a function, and no method of generated code, since each generated package would
// then compile all methods of all of its informers. It returns nil if the informer is not
// one of this module.
func Core[T clientgocache.Object](informer cache.TypedSharedIndexInformer[T]) *core.Informer[T] {
	i, _ := clientgocache.Core[T](informer)
	return i
}

// Scope is the part of a factory that generated code uses.
type Scope[C any] struct {
	// Factory has the informers.
	Factory Interface[C]
	// Namespace is the one that the factory is limited to, or empty.
	Namespace string
	// TweakListOptions narrows what informers list and watch; it may be nil.
	TweakListOptions TweakListOptionsFunc
}

// Namespaced returns access to the informer of T, a resource with namespaces.
// The factory has one informer of T; at the first request it is created with
// newInformer, indexed by namespace. newLister is nil for a resource whose objects
// cannot be got by name: Lister must not be called then.
func Namespaced[T clientgocache.TypedObject, I cache.TypedSharedIndexInformer[T], L, C any](
	scope Scope[C], newInformer func(C, string, InformerOptions) I, newLister func(cache.Indexer) L,
) TypedInformer[I, L] {
	return &accessor[T, I, L]{newLister: newLister, shared: func() cache.SharedIndexInformer {
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		return shared(scope, newObject(reflect.TypeFor[T]()), true, indexers, func(client C, options InformerOptions) cache.SharedIndexInformer {
			return newInformer(client, scope.Namespace, inNamespaces(client, options, newInformer))
		})
	}}
}

// ClusterScoped is Namespaced for a resource without namespaces, and without
// an index.
func ClusterScoped[T clientgocache.TypedObject, I cache.TypedSharedIndexInformer[T], L, C any](
	scope Scope[C], newInformer func(C, InformerOptions) I, newLister func(cache.Indexer) L,
) TypedInformer[I, L] {
	return &accessor[T, I, L]{newLister: newLister, shared: func() cache.SharedIndexInformer {
		return shared(scope, newObject(reflect.TypeFor[T]()), false, nil, func(client C, options InformerOptions) cache.SharedIndexInformer {
			return newInformer(client, options)
		})
	}}
}

// accessor is the TypedInformer of a resource in a factory.
type accessor[T clientgocache.TypedObject, I cache.TypedSharedIndexInformer[T], L any] struct {
	shared    func() cache.SharedIndexInformer
	newLister func(cache.Indexer) L
}

func (a *accessor[T, I, L]) Informer() cache.SharedIndexInformer { return a.TypedInformer() }

func (a *accessor[T, I, L]) TypedInformer() I { return typed[T, I](a.shared()) }

func (a *accessor[T, I, L]) Lister() L { return a.newLister(a.shared().GetIndexer()) }

// typed returns an informer of Ts under its generated interface, which has the
// methods of TypedSharedIndexInformer.
func typed[T clientgocache.Object, I cache.TypedSharedIndexInformer[T]](informer cache.SharedIndexInformer) I {
	return any(ToTyped[T](informer)).(I)
}

// Typed returns an Informer as a TypedInformer: itself if it is one, as those of
// generated factories are, and otherwise in a wrapper. The informer's objects
// must be of type T.
func Typed[T clientgocache.Object, I cache.TypedSharedIndexInformer[T], L any](informer Informer[L]) TypedInformer[I, L] {
	if typed, ok := any(informer).(TypedInformer[I, L]); ok {
		return typed
	}
	return &untyped[T, I, L]{informer, informer.Lister}
}

// TypedOnly is Typed for an informer without a lister.
func TypedOnly[T clientgocache.Object, I cache.TypedSharedIndexInformer[T]](informer InformerOnly) TypedInformerOnly[I] {
	if typed, ok := informer.(TypedInformerOnly[I]); ok {
		return typed
	}
	return &untyped[T, I, any]{informer, nil}
}

// untyped is the TypedInformer of an informer that is none. Lister is nil for one
// without a lister.
type untyped[T clientgocache.Object, I cache.TypedSharedIndexInformer[T], L any] struct {
	of     InformerOnly
	lister func() L
}

func (u *untyped[T, I, L]) Informer() cache.SharedIndexInformer { return u.of.Informer() }

func (u *untyped[T, I, L]) TypedInformer() I { return typed[T, I](u.of.Informer()) }

func (u *untyped[T, I, L]) Lister() L { return u.lister() }
