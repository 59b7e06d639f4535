// Package shard divides the objects of a resource into shards by a hash, so that each of several replicas
// can follow one shard.
//
//	ranges, err := shard.Of(0, 3) // the first of three equal parts
//	mine := shard.New(shard.UID, ranges)
//	informer := cache.New(shard.Source(orders, mine), cache.Options[*v1.Order]{})
//	mine.Set(others) // the running informer follows
//
// The hashed value is the UID of an object, its namespace, or the result of a function. The hash is FNV-1a
// with 64 bits, as in KEP-5866. An API server with the feature gate ShardedListAndWatch sends only the
// objects that a selector selects. Before the server's response it is not known whether it does, so
// informers check every object.
//
// Ranges are values: operations on them return new Ranges. A Shard is a set of ranges that may change, and
// is safe for concurrent use.
package shard
