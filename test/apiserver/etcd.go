package apiserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/features"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// etcd is the only member of its cluster.
type etcd struct {
	server *etcdserver.EtcdServer
	api    *grpc.Server
	url    string
}

// startEtcd runs an etcd that keeps its data in dir and waits until it serves.
func startEtcd(ctx context.Context, dir string) (*etcd, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	address := url.URL{Scheme: "http", Host: listener.Addr().String()}
	server, err := etcdserver.NewServer(etcdConfig(dir, address))
	if err != nil {
		listener.Close()
		return nil, fmt.Errorf("etcd: %w", err)
	}
	// etcd limits a request to 5 seconds and two elections. From now on it uses this field for
	// that limit alone: the raft node has its own copy.
	server.Cfg.ElectionTicks = int(requestTimeout/tick) / 2
	server.Start()
	e := &etcd{server: server, url: address.String()}
	e.api = v3rpc.Server(server, nil, nil,
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}))
	go func() { _ = e.api.Serve(listener) }()
	select {
	case <-server.ReadyNotify():
		return e, nil
	case <-server.StopNotify():
		err = errors.New("stopped while it started")
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	e.stop()
	return nil, fmt.Errorf("etcd: %w", err)
}

const (
	// tick is a tenth of an election timeout. The only member elects itself after one, so that a
	// short tick makes the start quick.
	tick = 10 * time.Millisecond
	// requestTimeout limits a request to etcd. It is longer than the API server waits, since a busy
	// machine may take long.
	requestTimeout = 2 * time.Minute
)

// etcdConfig returns the configuration of an etcd that never syncs to disk, since the data does not
// outlive the process. All requests wait during a sync, and other programs may keep the disk busy for
// seconds. A snapshot would be synced all the same: etcd saves none.
func etcdConfig(dir string, address url.URL) config.ServerConfig {
	const name = "default"
	nowhere := types.URLs{{Scheme: "http", Host: "127.0.0.1:0"}} // there are no other members
	logger := zap.NewNop()
	return config.ServerConfig{
		Name:                        name,
		DataDir:                     dir,
		ClientURLs:                  types.URLs{address},
		PeerURLs:                    nowhere,
		InitialPeerURLsMap:          types.URLsMap{name: nowhere},
		NewCluster:                  true,
		TickMs:                      uint(tick.Milliseconds()),
		ElectionTicks:               10,
		UnsafeNoFsync:               true,
		SnapshotCount:               math.MaxUint64,
		MaxTxnOps:                   128,
		MaxRequestBytes:             1.5 * (1 << 20),
		MaxConcurrentStreams:        math.MaxUint32,
		WarningApplyDuration:        time.Hour,
		WarningUnaryRequestDuration: time.Hour,
		Logger:                      logger,
		ServerFeatureGate:           features.NewDefaultServerFeatureGate(name, logger),
	}
}

// stop ends the server and cuts its connections.
func (e *etcd) stop() {
	e.api.Stop()
	e.server.Stop()
}

// Compact removes all history from etcd up to the present. A watch from an
// older resourceVersion that is not answered from the API server's own watch
// cache fails with 410 Gone from then on: start the server with
// DisableWatchCache to see it.
func (s *Server) Compact(ctx context.Context) error {
	client := v3client.New(s.etcd.server)
	defer client.Close()
	state, err := client.Get(ctx, "/")
	if err != nil {
		return fmt.Errorf("etcd: compact: %w", err)
	}
	if _, err := client.Compact(ctx, state.Header.Revision); err != nil {
		return fmt.Errorf("etcd: compact: %w", err)
	}
	return nil
}
