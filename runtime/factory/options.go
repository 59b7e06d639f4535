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
	// DefaultResync is the resync period of informers without one of their own. Zero means no resyncs.
	DefaultResync time.Duration
	// CustomResync overrides DefaultResync for some informers. Its keys are the Go types of their objects
	// (each a reflect.Type), or in a ResourceFactory their resources.
	CustomResync map[any]time.Duration
	// Namespace limits the factory to one namespace. Empty means all. Resources without namespaces are not
	// affected.
	Namespace string
	// TweakListOptions narrows what all informers list and watch. It may be called
	// concurrently. Nil narrows nothing.
	TweakListOptions func(*metav1.ListOptions)
	// WrapSource wraps the source of every informer. For example, the method Objects of a shard.Shard
	// limits the informers to the objects of a shard. Nil wraps nothing.
	WrapSource func(core.Objects) core.Objects
	// ListWatch configures how all informers list and watch.
	ListWatch core.ListWatch
	// Transform is applied to every object before it is stored, in all informers without a transform of
	// their own. It may mutate the object. Nil changes nothing.
	Transform cache.TransformFunc
	// InformerName is the name under which the informers report client-go's metrics. Shutdown releases it.
	// Only the first informer of a resource reports them. Further informers of that resource report none,
	// and client-go logs that: several of one type (ForType with a Name), and one that is requested after
	// Release. Package metrics has metrics for every informer.
	InformerName *clientgocache.InformerName

	// each holds the options of single informers, which take precedence over the options above.
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

// WithCustomResyncConfig sets the resync period of the informers of some types. Any object of a type stands
// for the type.
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
// informers with a TypeOptions.WrapSource of their own. It may be passed to generated factories.
//
//	factory.WithWrapSource(mine.Objects) // of a shard.Shard
func WithWrapSource(wrap func(core.Objects) core.Objects) Option {
	return func(o *Options) { o.WrapSource = wrap }
}

// WithTransform sets the transform of all informers of the factory that have none when they are created.
func WithTransform(transform cache.TransformFunc) Option {
	return func(o *Options) { o.Transform = transform }
}

// WithInformerName sets the name under which the factory's informers report client-go's metrics; see
// Options.InformerName. Shutdown releases the name.
func WithInformerName(informerName *clientgocache.InformerName) Option {
	return func(o *Options) { o.InformerName = informerName }
}

// WithListWatch configures how the informers of the factory list and watch, except for informers with a
// TypeOptions.ListWatch of their own. It may be passed to generated factories.
func WithListWatch(how core.ListWatch) Option {
	return func(o *Options) { o.ListWatch = how }
}
