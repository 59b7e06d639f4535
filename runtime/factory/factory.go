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
	// name is the name of its informers. It is empty, unless the Factory comes from Named.
	name string
}

// New returns a factory without informers. defaultResync is the resync period of each informer without one
// of its own. Zero means no resyncs.
func New(defaultResync time.Duration, opts ...Option) *Factory {
	f := &Factory{registry: &registry{}}
	f.options.DefaultResync = defaultResync
	for _, opt := range opts {
		opt(&f.options)
	}
	return f
}

// Named returns a view of the factory whose accessors request informers under a name. Use it to run several
// informers of one type with different options: ForType sets the options for a name. A named informer
// without options is not started, and WaitForSync returns an error for it. Callers that use the same name
// share one informer.
//
//	f := informers.NewSharedInformerFactoryWithOptions(client, 0,
//		factory.ForType(factory.TypeOptions[*corev1.Pod]{Name: "mine", FieldSelector: onThisNode}))
//	all, mine := f.Core().V1().Pods(), f.Named("mine").Core().V1().Pods()
func (f *Factory) Named(name string) *Factory {
	return &Factory{registry: f.registry, name: name}
}

// Namespace returns the namespace that the factory is limited to. It is empty for all namespaces.
func (f *Factory) Namespace() string { return f.options.Namespace }

// TweakListOptions returns the function that narrows what all informers list and watch, or nil.
func (f *Factory) TweakListOptions() func(*metav1.ListOptions) { return f.options.TweakListOptions }

// InformerName returns the name under which the informers report client-go's metrics, or nil.
func (f *Factory) InformerName() *clientgocache.InformerName { return f.options.InformerName }

// InformerFor returns the informer of obj's Go type. The first call creates it with newInformer, and does
// not start it. newInformer gets the informer's resync period and may return any SharedIndexInformer. It
// must not use the factory.
func (f *Factory) InformerFor(obj runtime.Object, newInformer func(resync time.Duration) cache.SharedIndexInformer) cache.SharedIndexInformer {
	key := f.keyOf(obj)
	return f.informerFor(key, func() cache.SharedIndexInformer { return newInformer(f.options.resync(key)) })
}

func (f *Factory) keyOf(obj runtime.Object) informerKey {
	return informerKey{of: reflect.TypeOf(obj), name: f.name}
}

// Configure completes the options of the informer of obj's type, which is about to be made, and returns the
// function that makes its source. Nil means a source of the factory's namespace. Generated accessors call
// Configure.
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

// Scopes makes the source of an informer of several namespaces or names. In returns the source of one
// namespace. Metadata returns the source of its metadata, and may be nil.
type Scopes = func(in, metadata func(namespace string) core.Objects) core.Objects

// Release stops the informer of obj's Go type and removes it. The next request creates a new informer,
// which needs a Start. All users of the informer lose it; its store and listers are not updated any more.
//
// The channel that Release returns is closed when every handler of the informer has returned for the last
// time. It is closed already if the informer was not started. Another Release returns the same channel,
// until the informer is requested again. A handler must not wait for the channel, since it would wait for
// itself.
func (f *Factory) Release(obj runtime.Object) <-chan struct{} {
	return f.release(f.keyOf(obj))
}

// WaitForCacheSync is WaitForCacheSyncWithContext with a channel in place of a context. It returns no
// error.
func (f *Factory) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	return waitForCacheSync[reflect.Type](wait.ContextForChannel(stopCh), f.registry)
}

// WaitForCacheSyncWithContext waits until every informer that was started has its first list in its store
// or has ended, or until ctx ends. The result says which informers are in sync. Its Err is
// context.Cause(ctx) if one of them is not.
func (f *Factory) WaitForCacheSyncWithContext(ctx context.Context) clientgocache.SyncResult {
	result := clientgocache.SyncResult{Synced: waitForCacheSync[reflect.Type](ctx, f.registry)}
	for _, synced := range result.Synced {
		if !synced {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}
