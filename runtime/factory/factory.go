package factory

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// NewInformerFunc creates an informer with a client and a resync period.
type NewInformerFunc[C any] = func(C, time.Duration) cache.SharedIndexInformer

// Interface is the part of a factory that generated informers need.
type Interface[C any] interface {
	// Start runs the informers that are not running until stopCh is closed.
	Start(stopCh <-chan struct{})
	// InformerFor returns the informer of the type of obj.
	InformerFor(obj runtime.Object, newFunc NewInformerFunc[C]) cache.SharedIndexInformer
	// InformerName is the factory's identity; it may be nil.
	InformerName() *cache.InformerName
}

// Factory shares informers, one for each Go type. They are created with a client of
// type C.
type Factory[C any] struct {
	*registry[reflect.Type]
	client C
	// name is that of its informers, empty in general.
	name string
}

// New returns a factory without informers. The default resync period is that
// of every informer without one of its own; zero is no resyncs.
func New[C any](client C, defaultResync time.Duration, opts ...Option) *Factory[C] {
	f := &Factory[C]{registry: &registry[reflect.Type]{}, client: client}
	f.options.DefaultResync = defaultResync
	for _, opt := range opts {
		opt(&f.options)
	}
	return f
}

// Named returns the same factory, whose accessors request informers under a name: several
// informers of one type, with other options each. ForType has these options; an informer
// without is an error, and is not started. Those who use the same name share its informers.
//
//	f := informers.NewSharedInformerFactoryWithOptions(client, 0,
//		factory.ForType(factory.TypeOptions[*corev1.Pod]{Name: "mine", FieldSelector: onThisNode}))
//	all, mine := f.Core().V1().Pods(), f.Named("mine").Core().V1().Pods()
func (f *Factory[C]) Named(name string) *Factory[C] {
	return &Factory[C]{registry: f.registry, client: f.client, name: name}
}

// Namespace is the one that the factory is limited to, or empty.
func (f *Factory[C]) Namespace() string { return f.options.Namespace }

// TweakListOptions is the function that narrows all informers, or nil.
func (f *Factory[C]) TweakListOptions() TweakListOptionsFunc { return f.options.TweakListOptions }

// InformerName is the factory's identity, or nil.
func (f *Factory[C]) InformerName() *cache.InformerName { return f.options.InformerName }

// Scope returns the part of the factory that generated code uses.
func (f *Factory[C]) Scope() Scope[C] {
	return Scope[C]{Factory: f, Namespace: f.options.Namespace, TweakListOptions: f.options.TweakListOptions}
}

// InformerFor returns the informer of the Go type of obj. The first time it
// creates it with newFunc, which may return any SharedIndexInformer and must
// not use the factory. It does not start it.
func (f *Factory[C]) InformerFor(obj runtime.Object, newFunc NewInformerFunc[C]) cache.SharedIndexInformer {
	key := f.keyOf(obj)
	return f.informerFor(key, func() cache.SharedIndexInformer { return newFunc(f.client, f.options.resync(key)) })
}

func (f *Factory[C]) keyOf(obj runtime.Object) informerKey[reflect.Type] {
	return informerKey[reflect.Type]{reflect.TypeOf(obj), f.name}
}

// configure completes the options of the informer of the type of obj, which is about to be
// made. Accessors look for this method.
func (f *Factory[C]) configure(obj runtime.Object, namespaced bool, options *InformerOptions) {
	options.Name, options.ListWatch = f.name, f.listWatchOptions()
	options.Shard = f.options.Shard
	each := f.options.each[f.keyOf(obj)]
	if each == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	each.applied, each.clusterScoped = true, !namespaced
	options.TweakListOptions = both(options.TweakListOptions, each.tweak)
	if namespaced {
		options.namespaces = each.namespaces
	}
	if each.shard != nil {
		options.Shard = each.shard
	}
	if each.listWatch != nil {
		options.ListWatch = *each.listWatch
		options.ListWatch.outages = &f.outages
	}
}

// Release stops the informer of the Go type of obj and removes it: the next request
// creates a new one, which needs a Start. All users of the informer lose it; its store
// and listers are not updated any more.
//
// The channel that it returns is closed when every handler of the informer has returned
// for the last time, at once if the informer was not started. Releasing it once more
// returns the same channel, until the informer is requested again. A handler must not
// wait for it, since it would wait for itself.
func (f *Factory[C]) Release(obj runtime.Object) <-chan struct{} {
	return f.release(f.keyOf(obj))
}

// WaitForCacheSyncWithContext waits until every informer that was started has
// its first list in its store, or has ended, or ctx ends. The result says which
// have; its Err is context.Cause(ctx) if not all have.
func (f *Factory[C]) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	result := cache.SyncResult{Synced: f.waitForCacheSync(ctx)}
	for _, synced := range result.Synced {
		if !synced {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}
