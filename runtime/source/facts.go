package source

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/watchlist"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// described has the method Describe of a cache.Describer.
type described struct{ info cache.SourceInfo }

func (d described) Describe() cache.SourceInfo { return d.info }

// infoOf returns the description of a source or a client.
func infoOf(of any) cache.SourceInfo {
	if d, ok := of.(cache.Describer); ok {
		return d.Describe()
	}
	return cache.SourceInfo{NoWatchList: watchlist.DoesClientNotSupportWatchListSemantics(of)}
}

// WithTarget returns src with the resource and namespace that it lists, which errors of
// informers then name: "RBAC must grant list and watch on ...". An empty namespace is all.
// Sources of New have theirs.
func WithTarget[T any](src cache.Source[T], resource schema.GroupVersionResource, namespace string) cache.Source[T] {
	info := partsOf(infoOf(src), func(src cache.Source[T], part string) cache.Source[T] { return WithTarget(src, resource, part) })
	info.Resource, info.Namespace = resource, namespace
	return &targeted[T]{described: described{info}, Source: src}
}

// partsOf returns the description of a source that wraps another, with of around each part
// of it if it has several namespaces.
func partsOf[T any](info cache.SourceInfo, of func(part cache.Source[T], namespace string) cache.Source[T]) cache.SourceInfo {
	if in := info.In; in != nil {
		info.In = func(namespace string) any {
			switch part := in(namespace).(type) {
			case cache.Source[T]:
				return of(part, namespace)
			case cache.Source[any]:
				return of(typedOf[T](part), namespace)
			default:
				return part
			}
		}
	}
	return info
}

// targeted is a source with another description than its own.
type targeted[T any] struct {
	described
	cache.Source[T]
}
