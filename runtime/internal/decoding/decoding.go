// Package decoding lets an informer tell its source, through whatever wraps that, how its
// objects are to be decoded. It tells both which memory of an object its readers write to.
package decoding

import "context"

// Options say how to decode the objects of a request. The zero value is as client-go does.
type Options struct {
	// Exclusive is for objects that are going to be changed: no two may share memory.
	Exclusive bool
	// DropManagedFields leaves out metadata.managedFields. A source may ignore it.
	DropManagedFields bool
}

// Wanted reports, from the metadata of an object, whether it is to be decoded. The slices are
// valid during the call only. What of an object can't be found is empty.
type Wanted func(uid, namespace, resourceVersion []byte) bool

// Request says how the objects of a response are to be decoded, and which: those of a nil
// Wanted are all. A source may ignore it.
type Request struct {
	Options
	Wanted Wanted
}

type key struct{}

// With returns a context for such requests.
func With(ctx context.Context, request Request) context.Context {
	return context.WithValue(ctx, key{}, request)
}

// From returns what a context is for.
func From(ctx context.Context) Request {
	request, _ := ctx.Value(key{}).(Request)
	return request
}
