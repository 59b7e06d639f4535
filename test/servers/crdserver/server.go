// Package crdserver composes the API server for custom resources, from the version of
// k8s.io/apiextensions-apiserver that the program is built with.
package crdserver

import (
	"context"
	"net"
	"time"

	crdapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// Options say how a server is composed.
type Options struct {
	// EtcdURL is where an etcd serves.
	EtcdURL string
	// DisableWatchCache lets every list and watch go to etcd itself.
	DisableWatchCache bool
}

// Server is an API server that listens on a port of the loopback interface.
type Server struct {
	server *crdapiserver.CustomResourceDefinitions
}

// New returns a server that listens, and serves when Run is called.
func New(options Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	cfg, err := newConfig(listener, options)
	if err != nil {
		listener.Close()
		return nil, err
	}
	groups := new(discovery)
	server, err := cfg.Complete().New(genericapiserver.NewEmptyDelegateWithCustomHandler(groups))
	if err != nil {
		listener.Close()
		return nil, err
	}
	groups.crds = server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister()
	// Connections that clients hold are cut after this long; requests in flight
	// that are not watches have been answered by then.
	server.GenericAPIServer.ShutdownTimeout = 100 * time.Millisecond
	return &Server{server}, nil
}

// Address returns how to reach the server.
func (s *Server) Address() Address {
	cfg := s.server.GenericAPIServer.LoopbackClientConfig
	return Address{
		Version:    s.server.GenericAPIServer.EffectiveVersion.BinaryVersion().String(),
		WatchList:  utilfeature.DefaultFeatureGate.Enabled(features.WatchList),
		Host:       cfg.Host,
		Token:      cfg.BearerToken,
		CAData:     cfg.CAData,
		ServerName: cfg.ServerName,
	}
}

// Run serves until ctx ends. A server that is stopped before its start hooks have run
// ends the process.
func (s *Server) Run(ctx context.Context) error {
	return s.server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}
