package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/features"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// NewSharedInformer returns an informer over a ListerWatcher, without indexes.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, Indexers{})
}

// NewSharedIndexInformer returns an informer over a ListerWatcher. It fits controller-runtime's
// cache.Options.NewInformer.
//
// The informer is named by the kind of the example object, such as "Widget.v1alpha1.apps.example.com". If
// the example has no kind, it is named by its Go type with the import path. ObjectDescription of
// NewSharedIndexInformerWithOptions sets another name.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

// NewSharedIndexInformerWithOptions returns an informer over a ListerWatcher. Watched objects that are not
// of the example's Go type are reported and skipped. If the example is unstructured and has a kind, so are
// objects of another kind. With a nil example no object is skipped.
//
// Logs, errors and statuses name the informer by options.ObjectDescription. If that is empty, the name is
// the resource of options.Identifier, such as "widgets.v1alpha1.apps.example.com". Without an identifier it
// is the kind of the example, if it has one as unstructured and metadata objects do, or else its Go type
// with the import path. The results of the ListerWatcher do not change the name.
//
// The informer keeps its objects as runtime.Object. For an API type that is known when the program is
// compiled, an informer over a typed source decodes and lists with less work: see Typed and package source.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	return newSharedIndexInformer(source.FromListerWatcher[runtime.Object](lw, exampleObject), exampleObject, options)
}

func newSharedIndexInformer(src core.Source[runtime.Object], exampleObject runtime.Object, options SharedIndexInformerOptions) *untypedInformer {
	identity, provider := identityOf(options)
	return newSourceInformer(src, exampleObject, options.Indexers, core.Options[runtime.Object]{
		Name:    informerName(exampleObject, options.ObjectDescription, identity),
		Resync:  options.ResyncPeriod,
		Metrics: InformerMetrics(identity, provider),
	})
}

// newSourceInformer returns an informer of a source. Like client-go's, it keeps the objects of a resource
// that is absent.
func newSourceInformer(src core.Source[runtime.Object], exampleObject runtime.Object, indexers Indexers, options core.Options[runtime.Object]) *untypedInformer {
	options.AbsentGrace = -1
	options.DisableWatchList = !features.FeatureGates().Enabled(features.WatchListClient)
	return newUntyped(core.New(src, options).Untyped(), AdapterOptions{
		Resync:   options.Resync,
		Indexers: indexers,
		Object:   exampleObject,
	})
}
