package factory

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// Options configure a factory. The zero value works.
type Options struct {
	// DefaultResync is the resync period of informers that have none of their
	// own. Zero is no resyncs.
	DefaultResync time.Duration
	// CustomResync has the resync periods of some informers, in place of DefaultResync: by the Go
	// type of their objects (a reflect.Type), or in a ResourceFactory by resource.
	CustomResync map[any]time.Duration
	// Namespace is the one that the factory is limited to; empty is all.
	// Resources without namespaces are not affected.
	Namespace string
	// TweakListOptions narrows what all informers list and watch. It may be called
	// concurrently. Nil narrows nothing.
	TweakListOptions func(*metav1.ListOptions)
	// WrapSource returns the source that an informer has in place of another one, for all informers:
	// the method Objects of a shard.Shard limits them to the objects of a shard. Nil leaves the sources.
	WrapSource func(core.Objects) core.Objects
	// ListWatch configures how all informers list and watch.
	ListWatch core.ListWatch
	// Transform is the function that every object goes through before it is stored, for
	// all informers without one of their own. It may mutate the object. Nil is none.
	Transform cache.TransformFunc
	// InformerName is the identity under which the metrics of the informers are published, those
	// of client-go. Shutdown releases it. The first informer of a resource has its metrics,
	// and others have none, which client-go logs: several of one type (ForType with a Name), and
	// one that is requested after Release. Package metrics has those of each.
	InformerName *clientgocache.InformerName

	// each has the options of some informers, in place of what is above.
	each map[informerKey]*informerOptions
}

// resync returns the resync period of an informer.
func (o *Options) resync(key informerKey) time.Duration {
	if each := o.each[key]; each != nil && each.resync != 0 {
		return max(0, each.resync)
	}
	if period, ok := o.CustomResync[key.of]; ok {
		return period
	}
	return o.DefaultResync
}

// transform returns the transform of an informer, or nil.
func (o *Options) transform(key informerKey) cache.TransformFunc {
	if each := o.each[key]; each != nil && each.transform != nil {
		return each.transform
	}
	return o.Transform
}

// Option configures a factory of informers by Go type.
type Option func(*Options)

// WithCustomResyncConfig sets the resync period of the informers of some types,
// each given by any object of it.
func WithCustomResyncConfig(resyncConfig map[metav1.Object]time.Duration) Option {
	return func(o *Options) {
		if o.CustomResync == nil {
			o.CustomResync = map[any]time.Duration{}
		}
		for obj, period := range resyncConfig {
			o.CustomResync[reflect.TypeOf(obj)] = period
		}
	}
}

// WithTweakListOptions narrows what all informers of the factory list and
// watch.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) Option {
	return func(o *Options) { o.TweakListOptions = tweak }
}

// WithNamespace limits the factory to one namespace. Resources without
// namespaces are not affected.
func WithNamespace(namespace string) Option {
	return func(o *Options) { o.Namespace = namespace }
}

// WithWrapSource sets the function that wraps the sources of all informers of the factory, except for
// those with a TypeOptions.WrapSource of their own. It may be passed to generated factories.
//
//	factory.WithWrapSource(mine.Objects) // of a shard.Shard
func WithWrapSource(wrap func(core.Objects) core.Objects) Option {
	return func(o *Options) { o.WrapSource = wrap }
}

// WithTransform sets the transform of all informers of the factory, except of
// those that have one when they are created.
func WithTransform(transform cache.TransformFunc) Option {
	return func(o *Options) { o.Transform = transform }
}

// WithInformerName gives the factory's informers an identity for client-go's metrics, as
// Options.InformerName says. The name is released by Shutdown.
func WithInformerName(informerName *clientgocache.InformerName) Option {
	return func(o *Options) { o.InformerName = informerName }
}

// WithListWatch says how the informers of the factory list and watch, except for those with a
// TypeOptions.ListWatch of their own. It may be passed to generated factories.
func WithListWatch(how core.ListWatch) Option {
	return func(o *Options) { o.ListWatch = how }
}
