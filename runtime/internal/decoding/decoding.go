// Package decoding lets an informer tell its source, through whatever wraps that, how its
// objects are to be decoded.
package decoding

import "context"

// Options say how to decode the objects of a request. The zero value is as client-go does.
type Options struct {
	// Exclusive is for objects that are going to be changed: no two may share memory.
	Exclusive bool
	// DropManagedFields leaves out metadata.managedFields. A source may ignore it.
	DropManagedFields bool
}

type key struct{}

// With returns a context for requests with these options.
func With(ctx context.Context, options Options) context.Context {
	return context.WithValue(ctx, key{}, options)
}

// From returns the options of a request.
func From(ctx context.Context) Options {
	options, _ := ctx.Value(key{}).(Options)
	return options
}
