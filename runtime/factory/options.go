package factory

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TweakListOptionsFunc changes the options of each list and watch.
type TweakListOptionsFunc = func(*metav1.ListOptions)

// Option configures a factory.
type Option func(*options)

type options struct {
	namespace    string
	tweak        TweakListOptionsFunc
	customResync map[reflect.Type]time.Duration
	transform    cache.TransformFunc
	informerName *cache.InformerName
}

// WithCustomResyncConfig sets the resync period of the informers of some types,
// each given by any object of it.
func WithCustomResyncConfig(resyncConfig map[metav1.Object]time.Duration) Option {
	return func(o *options) {
		for obj, period := range resyncConfig {
			o.customResync[reflect.TypeOf(obj)] = period
		}
	}
}

// WithTweakListOptions narrows what all informers of the factory list and
// watch.
func WithTweakListOptions(tweak TweakListOptionsFunc) Option {
	return func(o *options) { o.tweak = tweak }
}

// WithNamespace limits the factory to one namespace. Resources without
// namespaces are not affected.
func WithNamespace(namespace string) Option {
	return func(o *options) { o.namespace = namespace }
}

// WithTransform sets the transform of all informers of the factory, except of
// those that have one when they are created.
func WithTransform(transform cache.TransformFunc) Option {
	return func(o *options) { o.transform = transform }
}

// WithInformerName gives the factory's informers an identity. The name is
// released by Shutdown.
func WithInformerName(informerName *cache.InformerName) Option {
	return func(o *options) { o.informerName = informerName }
}
