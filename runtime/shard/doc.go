// Package shard divides the objects of a resource into parts by a hash of each, so that
// several replicas can have a part each.
//
//	ranges, err := shard.Of(0, 3) // the first of three equal parts
//	mine := shard.New(shard.UID, ranges)
//	informer := cache.New(shard.Source(orders, mine), cache.Options[*v1.Order]{})
//	mine.Set(others) // the running informer follows
//
// What is hashed is the UID of an object, its namespace, or what a function makes of it. The
// hash is FNV-1a with 64 bits, that of KEP-5866: an API server with the feature gate
// ShardedListAndWatch sends the objects of a selector only. Whether a server does is not
// to be known before its answer, so that informers check every object.
//
// Ranges are values; operations on them return others. A Shard is a set of ranges that may
// change, and is safe for concurrent use.
package shard
