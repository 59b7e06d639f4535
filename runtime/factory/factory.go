package factory

import (
	"context"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
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

// Factory shares informers. C is the client that they are created with.
type Factory[C any] struct {
	client        C
	defaultResync time.Duration
	options       options

	// wg counts the running informers.
	wg sync.WaitGroup

	mu        sync.Mutex
	informers map[reflect.Type]*member
	// shutDown is set when no informer may be started any more.
	shutDown bool
}

// member is an informer of a factory.
type member struct {
	informer cache.SharedIndexInformer
	started  bool
}

// New returns a factory without informers. The default resync period is that
// of every informer without one of its own; zero is no resyncs.
func New[C any](client C, defaultResync time.Duration, opts ...Option) *Factory[C] {
	f := &Factory[C]{
		client:        client,
		defaultResync: defaultResync,
		options:       options{customResync: map[reflect.Type]time.Duration{}},
		informers:     map[reflect.Type]*member{},
	}
	for _, opt := range opts {
		opt(&f.options)
	}
	return f
}

// Namespace is the one that the factory is limited to, or empty.
func (f *Factory[C]) Namespace() string { return f.options.namespace }

// TweakListOptions is the function that narrows all informers, or nil.
func (f *Factory[C]) TweakListOptions() TweakListOptionsFunc { return f.options.tweak }

// InformerName is the factory's identity, or nil.
func (f *Factory[C]) InformerName() *cache.InformerName { return f.options.informerName }

// InformerFor returns the informer of the Go type of obj. The first time it
// creates it with newFunc, which may return any SharedIndexInformer and must
// not use the factory. It does not start it.
func (f *Factory[C]) InformerFor(obj runtime.Object, newFunc NewInformerFunc[C]) cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := reflect.TypeOf(obj)
	if m, ok := f.informers[t]; ok {
		return m.informer
	}
	resync, ok := f.options.customResync[t]
	if !ok {
		resync = f.defaultResync
	}
	informer := newFunc(f.client, resync)
	if f.options.transform != nil && !hasTransform(informer) {
		if err := informer.SetTransform(f.options.transform); err != nil {
			// An informer that runs on its own already: it is as its maker
			// wanted it.
			klog.Background().V(2).Info("Transform of the factory not set", "type", t, "err", err)
		}
	}
	f.informers[t] = &member{informer: informer}
	return informer
}

// hasTransform reports whether an informer is known to have a transform.
// client-go's do not say.
func hasTransform(informer cache.SharedIndexInformer) bool {
	i, ok := informer.(interface{ HasTransform() bool })
	return ok && i.HasTransform()
}

// Start is StartWithContext with a channel for a context.
func (f *Factory[C]) Start(stopCh <-chan struct{}) {
	f.StartWithContext(wait.ContextForChannel(stopCh))
}

// StartWithContext runs, each in a goroutine, the informers that were not
// started before, until ctx ends. It does not block. Informers that are asked
// for later need another Start. After Shutdown it does nothing.
func (f *Factory[C]) StartWithContext(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shutDown {
		return
	}
	for _, m := range f.informers {
		if m.started {
			continue
		}
		m.started = true
		f.wg.Go(func() { m.informer.RunWithContext(ctx) })
	}
}

// Shutdown waits until every informer has stopped, for which what they were
// started with must end, and then releases the InformerName. From the call on
// no informer is started. It may be called more than once, and concurrently.
func (f *Factory[C]) Shutdown() {
	f.mu.Lock()
	f.shutDown = true
	f.mu.Unlock()
	f.wg.Wait()
	f.options.informerName.Release()
}

// started returns the informers that were started, by the type of their
// objects.
func (f *Factory[C]) started() map[reflect.Type]cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	started := map[reflect.Type]cache.SharedIndexInformer{}
	for t, m := range f.informers {
		if m.started {
			started[t] = m.informer
		}
	}
	return started
}
