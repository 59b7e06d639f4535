// Package references follows the objects that other objects refer to, such as the 50 Secrets, of 30,000,
// that a controller's objects name.
//
// A [Set] holds names of objects, and [Follow] keeps in it the names that other objects refer to. An
// informer over a [Source] has a list and watch for each name, with the field selector metadata.name. A
// Role with resourceNames permits that. When a namespace has 32 watches, further names share an informer of
// the namespace's metadata, if the server permits that. It only follows changes, and an object is read when
// its metadata has changed. When 16 names are left, each has its own watch again.
//
// An object that leaves the set is released, as an object that leaves a shard is, since it may well exist
// on the server. A name in the set without an object is known to be absent. For a name that is not in the
// set, the informer and its listers return failure.ErrUnknown, and never NotFound. Lists and indexes have
// only the objects of the set.
//
// Each name has a goroutine. At the start the server gets a list for each name, eight at once, within the
// client's limit of queries per second. To follow most objects of a namespace, an informer of that
// namespace is better.
package references
