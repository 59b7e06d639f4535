//go:build before36

package cache_test

// hasShardSelector reports whether requests have a shard selector.
const hasShardSelector = false
