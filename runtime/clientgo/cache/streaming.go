package cache

import (
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// Streaming returns a copy of a configuration, and informers whose ListerWatchers use a
// client with that copy. They decode what the server sends while it arrives, and hold once
// what is equal, see [source.Streaming]. For a manager of controller-runtime:
//
//	config, informers := cache.Streaming(ctrl.GetConfigOrDie())
//	options.Cache.NewInformer = informers.New
//	mgr, err := ctrl.NewManager(config, options)
//
// A ListerWatcher with functions of your own, which may change what they list, goes on to decode
// by itself, as [source.Streaming] says. Objects are read-only: they may have parts in common,
// unless the options, one struct at most, disable that.
func Streaming(cfg *rest.Config, options ...source.ClientOptions) (*rest.Config, *Informers) {
	options = append(options, source.ClientOptions{})
	streaming := source.NewStreaming(options[0])
	return streaming.Config(cfg), &Informers{streaming: streaming}
}
