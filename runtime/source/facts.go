package source

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/watchlist"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// facts are what a source tells informers of itself. Every source of this
// package has them, and passes on those of the one that it wraps. The zero value
// is a source of which nothing is known.
type facts struct {
	noWatchList bool
	ordered     bool
	resource    schema.GroupVersionResource
	namespace   string
	// served asks discovery for the resource; nil if it can't be asked.
	served func(context.Context) (bool, error)
}

// factsOf returns what is known of a source or a client.
func factsOf(of any) facts {
	f := facts{noWatchList: watchlist.DoesClientNotSupportWatchListSemantics(of)}
	if src, ok := of.(interface{ OrderedResourceVersions() bool }); ok {
		f.ordered = src.OrderedResourceVersions()
	}
	if src, ok := of.(interface {
		Target() (schema.GroupVersionResource, string)
	}); ok {
		f.resource, f.namespace = src.Target()
	}
	if src, ok := of.(interface {
		Served(context.Context) (bool, error)
	}); ok {
		f.served = src.Served
	}
	return f
}

// IsWatchListSemanticsUnSupported reports whether the source cannot serve a
// watch-list. The name is the one that k8s.io/client-go/util/watchlist looks
// for.
func (f facts) IsWatchListSemanticsUnSupported() bool { return f.noWatchList }

// OrderedResourceVersions reports whether the resourceVersions are known to be
// those of an API server, which grow with time (KEP-5504). Those of fake clients
// may be anything.
func (f facts) OrderedResourceVersions() bool { return f.ordered }

// Target returns the resource that is listed and watched, and in which
// namespace, which is empty for all and for resources without namespaces. A
// resource that is not known is empty.
func (f facts) Target() (resource schema.GroupVersionResource, namespace string) {
	return f.resource, f.namespace
}

// Served reports whether the server serves the resource. An answer is discovery's own
// word; errors.ErrUnsupported is returned if it can't be asked.
func (f facts) Served(ctx context.Context) (bool, error) {
	if f.served == nil {
		return false, errors.ErrUnsupported
	}
	return f.served(ctx)
}

// WithTarget returns src with the resource and namespace that it is known to be
// of, so that an informer can say what it is not allowed to list. Sources of New
// know theirs.
func WithTarget[T any](src cache.Source[T], resource schema.GroupVersionResource, namespace string) cache.Source[T] {
	f := factsOf(src)
	f.resource, f.namespace = resource, namespace
	return &described[T]{facts: f, Source: src}
}

// described is a source with other facts than its own.
type described[T any] struct {
	facts
	cache.Source[T]
}
