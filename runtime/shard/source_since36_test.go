//go:build !before36

package shard_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// hasShardSelector reports whether requests have a shard selector.
const hasShardSelector = true

// A selector of many ranges is short enough for proxies.
func TestShardOfManyRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := things(t, 300)
		api.FilterShards(true)
		var ranges shard.Ranges
		for i := 0; i < 256; i += 2 {
			ranges = ranges.Union(equal(t, i, 256))
		}
		mine := shard.New(shard.UID, ranges)
		r := run(t, api.Source(), mine, cache.Options[*thing]{})
		seen := r.handle(cache.HandlerOptions{})
		time.Sleep(time.Minute)
		expect(t, "objects of the shard", of(api, mine), sorted(t, r.Informer, seen))
		for _, request := range api.Requests() {
			if n := len(request.Options.ShardSelector); n > 4096 || n == 0 {
				t.Errorf("selector of %d bytes", n)
			}
		}
		if n := len(api.Requests()); n > 3 {
			t.Errorf("%d requests", n)
		}
	})
}
