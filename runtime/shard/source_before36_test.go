//go:build before36

package shard_test

// hasShardSelector reports whether requests have a shard selector.
const hasShardSelector = false
