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

type key struct{}

// With returns a context for requests with these options.
func With(ctx context.Context, options Options) context.Context {
	return context.WithValue(ctx, key{}, options)
}

// Filter reports, from the metadata of an object, whether it is wanted. The slices are valid
// during the call only. What of an object can't be found is empty.
type Filter func(uid, namespace, resourceVersion []byte) (wanted bool)

type filterKey struct{}

// WithFilter returns a context for a request of whose response only the objects that a
// filter wants are decoded. A source may ignore it.
func WithFilter(ctx context.Context, filter Filter) context.Context {
	return context.WithValue(ctx, filterKey{}, filter)
}

// FilterOf returns the filter of a request, or nil.
func FilterOf(ctx context.Context) Filter {
	filter, _ := ctx.Value(filterKey{}).(Filter)
	return filter
}

// From returns the options of a request.
func From(ctx context.Context) Options {
	options, _ := ctx.Value(key{}).(Options)
	return options
}
