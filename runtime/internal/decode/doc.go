// Package decode makes Go values of JSON and of protobuf, and holds what is equal once.
//
// Objects of one resource have much in common: the containers of the pods of a
// deployment, labels, affinities, the fields that a controller manages; and an update
// mostly changes a status. Whoever caches objects treats them as read-only, so equal parts
// of them can be one.
//
//	text ─► Scanner: index of its objects and arrays ─► a walk along the Go type ─► value
//	                                               │ for each part
//	                                               ▼
//	                                        Shared: decoded before?
//
// [Scanner] reads each byte of a stream once: it validates a value, finds its end and builds
// the index. [JSONMetadata] needs no more than that to tell whose an object is.
//
// The identity of a part is its Go type and the bytes of its text. It is looked up before
// it is decoded, from the top down: a whole spec, or else each list in it, or else each
// element. So what an update costs follows what has changed. A part that was found is
// not decoded again: a pointer, slice or map is that of the earlier object, and a struct
// is copied, with what it points to.
//
// [Shared] has what all objects of a client share. It holds parts by weak pointers, in
// tables of a bounded size, so that it keeps nothing alive. Each byte of an object is hashed
// 16 times at most, on average: what is nested deeper is decoded without a look-up. Strings are shared by the
// objects that a goroutine decodes. Identities are keyed hashes of 128 bits: two different
// parts are taken for one with a probability that does not matter, and nobody outside of
// the process can look for a collision.
//
// Some types write to a value when it is read: a resource.Quantity caches its text when it is
// printed. What refers to memory with such a value is never kept to be found again, and a struct
// with one inside is not copied. Values of maps are, since their readers write to copies.
//
// What the walk can't decode exactly as client-go does, it refuses: invalid UTF-8,
// members that appear twice, fractions for integers. Its caller then uses another decoder.
package decode
