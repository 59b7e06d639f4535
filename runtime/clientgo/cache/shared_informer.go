package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/features"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// NewSharedInformer returns an informer of what a ListerWatcher lists and
// watches, without indexes.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, Indexers{})
}

// NewSharedIndexInformer returns an informer of what a ListerWatcher lists and
// watches. It fits controller-runtime's cache.Options.NewInformer.
//
// The informer is named by the kind of the example object, as
// "Widget.v1alpha1.apps.example.com", or if that has none by its Go type with the import
// path. ObjectDescription of NewSharedIndexInformerWithOptions sets another name.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

// NewSharedIndexInformerWithOptions returns an informer of what a ListerWatcher
// lists and watches. Watched objects that are not of the example's Go type, or
// not of its kind if it is an unstructured one with a kind, are reported and
// skipped; with a nil example none is.
//
// The name of the informer in logs, errors and statuses is options.ObjectDescription, or
// the resource of options.Identifier, as "widgets.v1alpha1.apps.example.com", or the kind
// of the example if that has one, as unstructured and metadata objects do, or its Go type
// with the import path. What the ListerWatcher returns does not change it.
//
// The informer keeps its objects as runtime.Object. For an API type that is
// known when the program is compiled, an informer over a typed source decodes
// and lists with less work: see Typed and package source.
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

// newSourceInformer returns an informer of a source. As client-go's, it keeps the objects of a
// resource that is absent.
func newSourceInformer(src core.Source[runtime.Object], exampleObject runtime.Object, indexers Indexers, options core.Options[runtime.Object]) *untypedInformer {
	options.AbsentGrace = -1
	options.DisableWatchList = !features.FeatureGates().Enabled(features.WatchListClient)
	return newUntyped(core.New(src, options).Untyped(), AdapterOptions{
		Resync:   options.Resync,
		Indexers: indexers,
		Object:   exampleObject,
	})
}
