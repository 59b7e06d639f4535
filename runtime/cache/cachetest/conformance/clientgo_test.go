package conformance_test

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
)

// clientGo is client-go itself. That it passes shows that the cases are right;
// where it has a defect, the case says what should be.
var clientGo = conformance.Implementation{
	Name:                   "client-go",
	NewSharedIndexInformer: cache.NewSharedIndexInformerWithOptions,
	NewInformer:            cache.NewInformerWithOptions,
	NewIndexer:             newClientGoIndexer,
	NewFactory:             newClientGoFactory,
	Skip:                   map[string]string{},
	Defects: map[string]string{
		"W7 a watch-list is stopped exactly once, however it ends": "stops it once more when it ends with an error",
		"W8": "lists once although its context has ended",
		"W9 a server that fails for an hour gets at most two requests a minute": "resets its backoff every two minutes",
		"WL4 a backoff before another watch-list delays no stop":                "waits for the end of a backoff, up to a minute, before it stops",
		"WL7": "waits for the bookmark for as long as the server keeps the watch open, and then again",
		"WL9": "transforms the initial objects of a watch-list twice",
		"S2":  "panics when an index function fails",
		"S7 an object that is older than the version of a store leaves it, a list does not": "lets an older object lower the version of its store",
		"S4 an informer that was created without indexes accepts one":                       "panics when an index is added to an informer that was created with none",
		"S4 the result of GetIndexers is a copy":                                            "returns its own map",
		"I5":                                                                                "leaves the handle of a removed handler waiting for ever",
		"I6 a handler that panics during the initial list gets in sync":                     "does not count an event that a handler panicked with",
		"I12": "takes an object without a version for unchanged, and does not deliver its changes",
	},
}

func init() {
	maps.Copy(clientGo.Defects, olderDefects)
	maps.Copy(clientGo.Defects, olderDefects36)
}

// clientGoFactory is a factory without a client.
type clientGoFactory struct {
	informers.SharedInformerFactory
}

func newClientGoFactory(options conformance.FactoryOptions) conformance.Factory {
	return clientGoFactory{informers.NewSharedInformerFactoryWithOptions(nil, options.Resync,
		informers.WithCustomResyncConfig(options.CustomResync),
		informers.WithTransform(options.Transform),
		withInformerName(options),
	)}
}

func (f clientGoFactory) InformerFor(obj runtime.Object, newInformer func(time.Duration) cache.SharedIndexInformer) cache.SharedIndexInformer {
	return f.SharedInformerFactory.InformerFor(obj, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return newInformer(resync)
	})
}
