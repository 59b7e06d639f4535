package factory

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Resource is the resource of an informer.
type Resource struct {
	schema.GroupVersionResource
	// Namespaced reports whether objects live in namespaces.
	Namespaced bool
	// Indexes are indexes that each informer of the resource has. An index of the informer's own options
	// replaces one of the same name. Nil means none.
	Indexes []listers.Index[any]
}

// String returns the name of the resource in kubectl:
// "deployments.v1.apps", or "pods.v1" in the core group.
func (r Resource) String() string {
	return strings.TrimSuffix(r.Resource+"."+r.Version+"."+r.Group, ".")
}

// InformerOptions configure an informer. The zero value works.
type InformerOptions struct {
	// ResyncPeriod is the resync period of handlers without one of their own. Zero means no resyncs.
	ResyncPeriod time.Duration
	// Indexers are the informer's own indexes. Nil means none.
	Indexers cache.Indexers
	// InformerName is the name under which the informer reports client-go's metrics, unless another
	// informer of the resource already does under that name. Nil means no metrics.
	InformerName *clientgocache.InformerName
	// TweakListOptions changes the options of each list and watch, in general to set a
	// selector. It may be called concurrently. Nil changes nothing.
	TweakListOptions func(*metav1.ListOptions)
	// WrapSource wraps the informer's source. Nil wraps nothing.
	WrapSource func(core.Objects) core.Objects
	// ListWatch configures how the informer lists and watches.
	ListWatch core.ListWatch
	// Name distinguishes several informers of one resource in logs, errors and the status. It may be empty.
	Name string
}

// NewInformer returns an informer of a source's objects.
func NewInformer(resource Resource, objects core.Objects, options InformerOptions) cache.SharedIndexInformer {
	src := source.Tweak(core.Source[any]{Objects: objects}, options.TweakListOptions)
	if options.WrapSource != nil {
		src.Objects = options.WrapSource(src.Objects)
	}
	informer := core.New(src, coreOptions(resource, options))
	addIndexes(informer, resource, options)
	return clientgocache.Untyped(informer, clientgocache.AdapterOptions{
		Resync:   options.ResyncPeriod,
		Indexers: options.Indexers,
	})
}

func coreOptions(resource Resource, options InformerOptions) core.Options[any] {
	// client-go logs it if another informer of the resource has the name already.
	identity := options.InformerName.WithResource(resource.GroupVersionResource)
	return core.Options[any]{
		Name:             informerKey{of: resource, name: options.Name}.String(),
		Resync:           options.ResyncPeriod,
		Metrics:          clientgocache.InformerMetrics(identity, nil),
		DisableWatchList: !features.FeatureGates().Enabled(features.WatchListClient),
		ListWatch:        options.ListWatch,
	}
}
