// Package source is where informers get their objects: it implements
// [cache.Source] over REST, over a clientset and over a client-go
// ListerWatcher.
//
// # Over REST
//
// [New] lists and watches one resource with nothing but its Go type:
//
//	client, err := source.NewClient(cfg)
//	foos := source.New[*v1.Foo](client, v1.SchemeGroupVersion.WithResource("foos"), "")
//
// The way of an object:
//
//	http body ─► value (JSON) or field (protobuf) ─► a fresh *Foo ─► each / Next
//
// A list is read as it arrives. At no time is the body held, nor the page:
// one item is in memory as bytes, and every object is an allocation of its
// own, so that one that is kept does not keep others. A frame of a watch is
// decoded once, from the bytes of its object into the Go type.
//
// Objects come out as a typed clientset of client-go gives them: names of
// fields are case-sensitive, unknown fields are ignored, the last one of
// duplicate fields wins, integers stay integers in fields of type any. The
// kind and apiVersion of an object from a watch are cleared, and those of a
// list's item are what the server sent, in general nothing for a built-in
// type. An object that is a runtime.Unstructured keeps both.
//
// JSON has a fast decoder, and client-go's own behind it: what the fast one
// refuses is given to the other, which has the last word. A type that the fast
// one cannot handle is left to the other after its first object.
//
// Protobuf is asked for when the type can decode it, as those of k8s.io/api
// can, and the configuration does not name other content types.
//
// # Errors
//
// An answer that is a status is returned as the error of
// k8s.io/apimachinery/pkg/api/errors, with the delay that the server asks
// for. No request is repeated here: whoever lists and watches sees every
// failure and decides. One object that cannot be decoded is a
// [cache.ObjectError] and does not concern the others. A list or stream that
// is cut off is an error, never a short list or an orderly end.
//
// # Limits
//
// What a server sends is never held beyond ClientOptions.MaxObjectBytes, whatever
// length it claims. A longer object, in a list or a watch, is read past and
// reported as a [cache.ObjectError] with ErrTooLarge. Of an answer that is no
// success the first MiB counts. Clientsets and ListerWatchers decode by
// themselves, lists as a whole, and have client-go's limits.
//
// # Concurrency
//
// A Client and every Source may be used by any number of goroutines. A
// Watcher is used by one at a time, but may be stopped by any.
package source
