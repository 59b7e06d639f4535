package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// Streaming returns a copy of a configuration, and a constructor of informers whose
// ListerWatchers use a client with that copy. They decode what the server sends while it
// arrives, and hold once what is equal, see [source.Streaming]. For a manager of
// controller-runtime:
//
//	config, newInformer := cache.Streaming(ctrl.GetConfigOrDie())
//	mgr, err := ctrl.NewManager(config, ctrl.Options{Cache: ctrlcache.Options{NewInformer: newInformer}})
//
// Each List and Watch of a ListerWatcher should be one request. Objects are read-only: they may
// have parts in common.
func Streaming(cfg *rest.Config) (
	*rest.Config,
	func(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer,
) {
	streaming := source.NewStreaming(source.ClientOptions{})
	return streaming.Config(cfg), func(lw ListerWatcher, exampleObject runtime.Object, resync time.Duration, indexers Indexers) SharedIndexInformer {
		return newSharedIndexInformer(streaming.FromListerWatcher(lw, exampleObject), exampleObject, SharedIndexInformerOptions{
			ResyncPeriod: resync,
			Indexers:     indexers,
		})
	}
}
