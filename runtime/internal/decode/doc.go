// Package decode decodes JSON and protobuf into Go values, and holds equal parts once.
//
// Objects of one resource have much in common: the containers of a deployment's pods, labels, affinities,
// the fields that a controller manages. An update mostly changes a status. Cached objects are read-only, so
// equal parts of them can be shared.
//
//	text ─► Scanner: index of its objects and arrays ─► a walk along the Go type ─► value
//	                                               │ for each part
//	                                               ▼
//	                                        Shared: decoded before?
//
// [Scanner] reads each byte of a stream once: it validates a value, finds its end and builds the index.
// [JSONMetadata] identifies an object by the index alone.
//
// The identity of a part is its Go type and the bytes of its text. Parts are looked up before they are
// decoded, from the top down: a whole spec, or else each list in it, or else each element. So the cost of
// an update follows its changes. A part that is found is not decoded again: a pointer, slice or map is
// shared with the earlier object, and a struct is copied, with its pointers.
//
// [Shared] holds the parts that all objects of a client share. It holds them by weak pointers, in tables of
// a bounded size, so that it keeps nothing alive. On average, each byte of an object is hashed at most 16
// times: deeper parts are decoded without a look-up. Strings are shared by the objects that a goroutine
// decodes. Identities are keyed hashes of 128 bits. The probability that two different parts have the same
// hash is negligible, and code outside of the process can't look for a collision.
//
// Some types write to a value when it is read: a resource.Quantity caches its text when it is printed. A
// part that refers to memory with such a value is never shared, and a struct that contains one is not
// copied. Values of maps are, since their readers write to copies.
//
// If the walk can't decode a value exactly as client-go does, it gives up: for invalid UTF-8, members that
// appear twice, or fractions for integers. The caller then uses another decoder.
package decode
