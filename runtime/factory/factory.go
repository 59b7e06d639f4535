package factory

import (
	"context"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Factory shares informers, one for each Go type.
type Factory struct {
	*registry
	// name is that of its informers, empty in general.
	name string
}

// New returns a factory without informers. The default resync period is that
// of every informer without one of its own; zero is no resyncs.
func New(defaultResync time.Duration, opts ...Option) *Factory {
	f := &Factory{registry: &registry{}}
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
func (f *Factory) Named(name string) *Factory {
	return &Factory{registry: f.registry, name: name}
}

// Namespace is the one that the factory is limited to, or empty.
func (f *Factory) Namespace() string { return f.options.Namespace }

// TweakListOptions is the function that narrows all informers, or nil.
func (f *Factory) TweakListOptions() func(*metav1.ListOptions) { return f.options.TweakListOptions }

// InformerName is the factory's identity, or nil.
func (f *Factory) InformerName() *clientgocache.InformerName { return f.options.InformerName }

// InformerFor returns the informer of the Go type of obj. The first time it
// creates it with newInformer, which gets its resync period, may return any
// SharedIndexInformer and must not use the factory. It does not start it.
func (f *Factory) InformerFor(obj runtime.Object, newInformer func(resync time.Duration) cache.SharedIndexInformer) cache.SharedIndexInformer {
	key := f.keyOf(obj)
	return f.informerFor(key, func() cache.SharedIndexInformer { return newInformer(f.options.resync(key)) })
}

func (f *Factory) keyOf(obj runtime.Object) informerKey {
	return informerKey{of: reflect.TypeOf(obj), name: f.name}
}

// Configure completes the options of the informer of the type of obj, which is about to be
// made, and returns the function that makes its source. Nil is a source of the namespace of the
// factory. Accessors call it.
func (f *Factory) Configure(obj runtime.Object, namespaced bool, options *InformerOptions) Scopes {
	options.Name, options.ListWatch, options.WrapSource = f.name, f.listWatch(nil), f.options.WrapSource
	each := f.options.each[f.keyOf(obj)]
	if each == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	each.applied, each.clusterScoped = true, !namespaced
	options.TweakListOptions = both(options.TweakListOptions, each.tweak)
	options.ListWatch = f.listWatch(each.listWatch)
	if each.wrapSource != nil {
		options.WrapSource = each.wrapSource
	}
	switch {
	case each.references != nil:
		return func(in, metadata func(namespace string) core.Objects) core.Objects {
			return references.Objects(each.references, in, metadata, references.Options{})
		}
	case each.namespaces != nil && namespaced:
		return func(in, _ func(namespace string) core.Objects) core.Objects {
			typed := func(namespace string) core.Source[any] { return core.Source[any]{Objects: in(namespace)} }
			return source.InNamespaces(each.namespaces, typed).Objects
		}
	}
	return nil
}

// Scopes makes the source of an informer of several namespaces or names. In returns that of a
// namespace, and metadata, which may be nil, that of its metadata.
type Scopes = func(in, metadata func(namespace string) core.Objects) core.Objects

// Release stops the informer of the Go type of obj and removes it: the next request
// creates a new one, which needs a Start. All users of the informer lose it; its store
// and listers are not updated any more.
//
// The channel that it returns is closed when every handler of the informer has returned
// for the last time, at once if the informer was not started. Releasing it once more
// returns the same channel, until the informer is requested again. A handler must not
// wait for it, since it would wait for itself.
func (f *Factory) Release(obj runtime.Object) <-chan struct{} {
	return f.release(f.keyOf(obj))
}

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel for a context,
// and without the reason.
func (f *Factory) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	return waitForCacheSync[reflect.Type](wait.ContextForChannel(stopCh), f.registry)
}

// WaitForCacheSyncWithContext waits until every informer that was started has
// its first list in its store, or has ended, or ctx ends. The result says which
// have; its Err is context.Cause(ctx) if not all have.
func (f *Factory) WaitForCacheSyncWithContext(ctx context.Context) clientgocache.SyncResult {
	result := clientgocache.SyncResult{Synced: waitForCacheSync[reflect.Type](ctx, f.registry)}
	for _, synced := range result.Synced {
		if !synced {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}
