// Package references has informers of the objects that others refer to, such as the fifty Secrets
// of thirty thousand that a controller's objects name.
//
// A [Set] has the names of the objects, and [Follow] keeps in it what other objects refer to. An informer
// over a [Source] has a list and watch for each name, with the field selector metadata.name: a Role with
// resourceNames permits that. When a namespace has more than 32 names, each watch that begins shares an
// informer of what changes in the namespace's metadata, if the server permits that. The object is read when
// its metadata have changed. At 16 names each has its own watch again.
//
// An object that leaves the set is released: handlers get what they get of an object that leaves
// a shard, since on the server it may well exist. A name of the set without an object is known to
// be absent. One that is not in the set is failure.ErrUnknown, of the informer and of its listers, and
// never NotFound. Lists and indexes have the objects of the set only.
//
// Each name has a goroutine. At the start the server gets a list for each name, eight at once, and
// the limit of queries per second of the client holds for them: for most of the objects of a
// namespace, an informer of that namespace is the better one.
package references
