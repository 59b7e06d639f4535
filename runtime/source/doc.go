// Package source lists and watches resources for informers: it implements
// [cache.Source]. Objects are read-only, since they may have parts in common: change a deep
// copy.
//
// # Three doors
//
// A source sends its own requests and decodes the responses itself wherever it can:
//
//	New                over a Client of this package        ─┐
//	ClientsetObjects   over a client that client-gen wrote  ─┼─► requests of the source ─► body ─► objects
//	FromListerWatcher  of NewListWatch, and of functions of ─┘
//	                   controller-runtime with a Streaming
//
//	FromListerWatcher  of other functions ─┐
//	ClientsetObjects   over other clients ─┴─► list or watch of the client, which decodes ─► objects
//
// Other functions and clients may filter objects or change them, so that the client decodes what they
// request. The status of an informer over a clientset or a Streaming says why. The first bytes of a body
// show its encoding.
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
//	                                                      │
//	                                   parts that were decoded before are found
//
// A list is decoded as it arrives. Neither the body nor a page is ever
// buffered: one item is in memory as bytes, and every object is an allocation
// of its own, so that an object that is kept does not keep others alive. A watch
// event is decoded once, from the bytes of its object into the Go type.
//
// Objects are decoded as a typed clientset of client-go does it. Names of
// fields are case-sensitive, and unknown fields are ignored. The last one of
// duplicate fields wins. Integers stay integers in fields of type any. A typed object
// has no kind and no apiVersion, as in client-go's watches. The items of client-go's
// lists keep what the server sent, which is both for a custom resource. An object that
// is a runtime.Unstructured keeps both; an item of a list gets from the list what it
// lacks.
//
// JSON has a fast decoder, with client-go's own as fallback: an object that the fast one
// refuses is decoded by client-go's, whose result counts. What it accepts is tested, with
// random objects, to be what client-go makes of it.
//
// Protobuf is requested when the type can decode it, as types of k8s.io/api
// can, and the configuration does not name other content types.
//
// # What is equal is held once
//
// Most of an object is equal to a part of another one: the containers of the pods of a
// deployment, labels, managed fields, and all but the status after an update. A part is
// identified by its Go type and its bytes in the response. One that was decoded before,
// for any source of the Client, is not decoded again: objects have the same pointer, slice
// or map, or a copy of the same struct. Strings of up to 128 bytes are held once too;
// longer ones, and bytes, only with an equal part around them.
//
// Some methods write to an object although their callers only read it: a resource.Quantity
// caches its text when it is printed. Memory that such methods write to is never shared. A type
// that decodes itself is taken for one that has such methods, unless it is known not to.
//
// That needs no memory of its own but tables of at most 3 MB for each Client, and keeps no
// object alive. Client.Shared tells how much it has saved. What is not equal to anything costs a hash of its
// bytes.
//
// Sources that send their requests through the clients of others have one table in the process.
//
// Informers with a Transform, which may change objects, get objects that share only strings. Objects
// that a client decodes share nothing. ClientOptions.DisableSharing is for programs that change objects
// elsewhere, which they must not.
//
// # Errors
//
// A response that is a status, whatever its code, is returned as the error of
// k8s.io/apimachinery/pkg/api/errors, with the Retry-After of the server. No
// request is retried here: callers see every failure, and decide. An object that cannot be
// decoded is a [failure.ObjectError] and does not affect the others. A truncated list or stream is an error, never a short list
// or a normal end.
//
// # Limits
//
// No more than ClientOptions.MaxObjectBytes of an object is buffered, whatever
// length the server claims. A longer object, in a list or a watch, is skipped and
// reported as a [failure.ObjectError] with ErrTooLarge. The first MiB of a
// non-2xx response is read. Through the clients of others, the limit of an object is the default,
// and their own limits hold for non-2xx responses. A client that decodes by itself has none but its own.
//
// # Concurrency
//
// A Client and every Source may be used by any number of goroutines. A
// Watcher is used by one at a time, but may be stopped by any.
package source
