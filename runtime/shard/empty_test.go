package shard_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// An informer of an empty shard has no watch. Its waits end, and it is as healthy as the server.
func TestEmptyShardWaits(t *testing.T) {
	for _, watchList := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			api := things(t, 3)
			r := run(t, api.Source(), shard.New(shard.UID, nil), cache.Options[*thing]{DisableWatchList: !watchList})
			if err := r.WaitForSync(t.Context()); err != nil {
				t.Fatal(err)
			}
			api.ResetRequests()
			time.Sleep(time.Hour)
			if n := len(api.Requests()); n > 61 || api.Watches() > 0 {
				t.Errorf("%d requests and %d watches in an hour", n, api.Watches())
			}
			if err := r.HealthCheck(2 * time.Minute)(nil); err != nil {
				t.Error(err)
			}
			touch(t, api, "0")
			began := time.Now()
			if err := r.WaitForLatest(t.Context()); err != nil || time.Since(began) > 0 {
				t.Errorf("latest: %v after %v", err, time.Since(began))
			}
			if err := r.WaitForResourceVersion(t.Context(), touch(t, api, "0").ResourceVersion); err != nil || time.Since(began) > time.Minute {
				t.Errorf("resourceVersion: %v after %v", err, time.Since(began))
			}
			api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused})
			time.Sleep(10 * time.Minute)
			if err := r.HealthCheck(5 * time.Minute)(nil); err == nil {
				t.Error("healthy without a server")
			}
			api.ClearFaults()
			time.Sleep(5 * time.Minute)
			if err := r.HealthCheck(2 * time.Minute)(nil); err != nil {
				t.Error(err)
			}
			if s := r.Status(); s.Relists > 1 || s.Objects > 0 {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// A shard that is empty while etcd is restored goes on with the new history.
func TestEmptyShardOfRestoredServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 8)
		early := api.ResourceVersion()
		for range 20 {
			touch(t, api, "0")
		}
		mine := shard.New(shard.UID, shard.All())
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		settle()
		mine.Set(nil)
		settle()
		if err := api.Restore(early); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if got := r.Status().ResourceVersion; got != api.ResourceVersion() {
			t.Errorf("resourceVersion %s, want %s", got, api.ResourceVersion())
		}
		mine.Set(equal(t, 0, 2))
		settle()
		expect(t, "objects", of(api, mine), sorted(t, r.Informer, seen))
	})
}
