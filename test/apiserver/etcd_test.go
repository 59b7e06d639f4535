package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"golang.org/x/sync/errgroup"
)

func runEtcd(t *testing.T) (*etcd, *clientv3.Client) {
	t.Helper()
	e, err := startEtcd(t.Context(), filepath.Join(t.TempDir(), "etcd"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.stop)
	client := v3client.New(e.server)
	t.Cleanup(func() { _ = client.Close() })
	return e, client
}

// A request waits for storage that stands still for longer than the five seconds of etcd's default.
func TestStorageStandsStill(t *testing.T) {
	t.Parallel()
	e, client := runEtcd(t)
	storage := e.server.Backend().BatchTx()
	storage.LockOutsideApply()
	time.AfterFunc(6*time.Second, storage.Unlock)
	if _, err := client.Put(t.Context(), "key", "value"); err != nil {
		t.Error(err)
	}
}

// No number of writes makes etcd save a snapshot, which syncs a file while all requests wait.
func TestNoSnapshots(t *testing.T) {
	t.Parallel()
	e, client := runEtcd(t)
	writers, ctx := errgroup.WithContext(t.Context())
	const count = 100
	for writer := range count {
		writers.Go(func() error {
			for range etcdserver.DefaultSnapshotCount/count + 1 {
				if _, err := client.Put(ctx, fmt.Sprint(writer), "value"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(e.server.Cfg.SnapDir(), "*.snap")); err != nil || len(files) > 0 {
		t.Errorf("%d writes have saved %q, %v", etcdserver.DefaultSnapshotCount, files, err)
	}
	if _, err := os.Stat(e.server.Cfg.SnapDir()); err != nil {
		t.Error(err)
	}
}
