// Package source lists and watches resources for informers: it implements
// [cache.Source] over REST, over a clientset and over a client-go
// ListerWatcher. Each object that it returns is an allocation of its own, which the caller
// owns.
//
// # Over REST
//
// [New] lists and watches one resource, given only its Go type:
//
//	client, err := source.NewClient(cfg)
//	foos := source.New[*v1.Foo](client, v1.SchemeGroupVersion.WithResource("foos"), "")
//
// Data flow of an object:
//
//	http body ─► value (JSON) or field (protobuf) ─► a fresh *Foo ─► each / Next
//
// A list is decoded as it arrives. Neither the body nor a page is ever
// buffered: one item is in memory as bytes, and every object is an allocation
// of its own, so that an object that is kept does not keep others alive. A watch
// event is decoded once, from the bytes of its object into the Go type.
//
// Objects are decoded like those of a typed clientset of client-go: names of
// fields are case-sensitive, unknown fields are ignored, the last one of
// duplicate fields wins, integers stay integers in fields of type any. The
// kind and apiVersion of an object from a watch are cleared, and those of a
// list's item are what the server sent, in general nothing for a built-in
// type. An object that is a runtime.Unstructured keeps both.
//
// JSON has a fast decoder, with client-go's own as fallback: an object that the
// fast one refuses is decoded by client-go's, whose result counts. A type that the
// fast one cannot handle is decoded by client-go's after its first object.
//
// Protobuf is requested when the type can decode it, as those of k8s.io/api
// can, and the configuration does not name other content types.
//
// # Errors
//
// A response that is a status is returned as the error of
// k8s.io/apimachinery/pkg/api/errors, with the Retry-After of the server. No
// request is retried here: callers see every failure, and decide. An object that cannot be decoded is a [failure.ObjectError] and does not
// affect the others. A truncated list or stream is an error, never a short list
// or a normal end.
//
// # Limits
//
// No more than ClientOptions.MaxObjectBytes of an object is buffered, whatever
// length the server claims. A longer object, in a list or a watch, is skipped and
// reported as a [failure.ObjectError] with ErrTooLarge. Of a non-2xx response the
// first MiB is read. Clientsets and ListerWatchers decode by themselves, lists as a
// whole, and have client-go's limits.
//
// # Concurrency
//
// A Client and every Source may be used by any number of goroutines. A
// Watcher is used by one at a time, but may be stopped by any.
package source
