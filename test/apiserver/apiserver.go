package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/test/servers/crdserver"
)

// Options say how a server is started. The zero value means Kubernetes' defaults.
type Options struct {
	// DisableWatchCache lets every list and watch go to etcd itself.
	DisableWatchCache bool
	// Logger receives klog's output of the whole process: the output of the API server and of all client
	// libraries. The zero value discards it. The first server that is started decides.
	Logger logr.Logger
}

// Server is a running API server and its etcd.
type Server struct {
	dir     string
	etcd    *etcd
	address crdserver.Address
	config  *rest.Config

	cancel context.CancelFunc
	ended  chan struct{} // closed when the API server has shut down
	err    error         // why it did; read it after ended

	stop sync.Once
}

var setLogger sync.Once

// Start runs etcd and an API server and returns when both serve, which takes
// less than a second. Ending ctx ends the start, but not a server that runs:
// Stop does.
func Start(ctx context.Context, options Options) (*Server, error) {
	setLogger.Do(func() {
		if options.Logger.GetSink() == nil {
			options.Logger = logr.Discard()
		}
		klog.SetLogger(options.Logger)
	})
	dir, err := os.MkdirTemp("", "informer-gen-apiserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, options); err != nil {
		s.Stop()
		return nil, fmt.Errorf("API server: %w", err)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, options Options) (err error) {
	if s.etcd, err = startEtcd(ctx, filepath.Join(s.dir, "etcd")); err != nil {
		return err
	}
	server, err := newServer(crdserver.Options{
		EtcdURL:           s.etcd.url,
		DisableWatchCache: options.DisableWatchCache,
	})
	if err != nil {
		return err
	}
	s.address = server.Address()
	s.config = s.address.Config()
	s.config.QPS, s.config.Burst = 10_000, 10_000
	s.config.ContentType = "application/json"
	s.run(server)
	// A server that is stopped before its start hooks have run ends the
	// process, so that this much of the start can't be interrupted.
	if err := s.waitReady(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// server is an API server in this process or in another one.
type server interface {
	Address() crdserver.Address
	// Run serves until ctx ends.
	Run(ctx context.Context) error
}

// newServer returns the server that the environment asks for.
func newServer(options crdserver.Options) (server, error) {
	if program := os.Getenv(Program); program != "" {
		return startProcess(program, options)
	}
	return crdserver.New(options)
}

// run serves until Stop is called.
func (s *Server) run(server server) {
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		s.err = server.Run(ctx)
	}()
}

// waitReady waits for the server to answer that it is ready, which it is when
// its start hooks have run.
func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("not ready in time"))
	defer cancel()
	client, err := rest.HTTPClientFor(s.config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	return poll(ctx, func() (bool, error) {
		select {
		case <-s.ended:
			return false, errors.Join(errors.New("ended while it started"), s.err)
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.Host+"/readyz", nil)
		if err != nil {
			return false, err
		}
		ready := false
		if response, err := client.Do(request); err == nil { // it is listening
			response.Body.Close()
			ready = response.StatusCode == http.StatusOK
		}
		return ready, nil
	})
}

// poll calls done until it is true or an error, or ctx ends.
func poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Config returns a fresh copy of how to reach the server: as its administrator,
// in JSON, and with no rate limit that matters.
func (s *Server) Config() *rest.Config { return rest.CopyConfig(s.config) }

// Version returns the minor version of Kubernetes that the server is of, such as 1.31.
func (s *Server) Version() string { return s.address.Version }

// WatchList reports whether the server sends initial events in a watch.
func (s *Server) WatchList() bool { return s.address.WatchList }

// Stop ends the API server and etcd, waits for both and removes their files.
// Watches that are open are cut. It may be called more than once.
func (s *Server) Stop() {
	s.stop.Do(func() {
		if s.cancel != nil {
			s.cancel()
			<-s.ended
		}
		if s.etcd != nil {
			s.etcd.stop()
		}
		os.RemoveAll(s.dir)
	})
}
