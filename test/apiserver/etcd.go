package apiserver

import (
	"context"
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.uber.org/zap"
)

// startEtcd runs an etcd that keeps its data in dir and waits until it serves.
// It never syncs to disk: the data does not outlive the process anyway.
func startEtcd(ctx context.Context, dir string) (*embed.Etcd, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}

	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.UnsafeNoFsync = true
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = anyPort, anyPort
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = anyPort, anyPort
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.EnableGRPCGateway = false
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	// The only member elects itself after one election timeout, so a short one
	// is what makes the start quick.
	cfg.TickMs, cfg.ElectionMs = 10, 100

	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err = <-etcd.Err():
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	etcd.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}

// Compact removes all history from etcd up to the present. A watch from an
// older resourceVersion that is not answered from the API server's own watch
// cache fails with 410 Gone from then on: start the server with
// DisableWatchCache to see it.
func (s *Server) Compact(ctx context.Context) error {
	client := v3client.New(s.etcd.Server)
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
