package source

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// described has the method Describe of a source.
type described struct{ info cache.SourceInfo }

func (d described) Describe() cache.SourceInfo { return d.info }

// WithTarget returns src with the resource and namespace that it lists, which errors of
// informers then name: "RBAC must grant list and watch on ...". An empty namespace is all.
// Sources of New have theirs.
func WithTarget[T any](src cache.Source[T], resource schema.GroupVersionResource, namespace string) cache.Source[T] {
	return cache.Source[T]{Objects: withTarget(src.Objects, resource, namespace)}
}

func withTarget(src cache.Objects, resource schema.GroupVersionResource, namespace string) cache.Objects {
	info := infoOf(src, func(part cache.Objects, namespace string) cache.Objects { return withTarget(part, resource, namespace) })
	info.Resource, info.Namespace = resource, namespace
	return &targeted{described: described{info}, Objects: src}
}

// infoOf returns the description of a source that wraps another, with around called for each
// part of it if it has several namespaces.
func infoOf(src cache.Objects, around func(part cache.Objects, namespace string) cache.Objects) cache.SourceInfo {
	info := src.Describe()
	if in := info.In; in != nil {
		info.In = func(namespace string) cache.Objects { return around(in(namespace), namespace) }
	}
	return info
}

// targeted is a source with another description than its own.
type targeted struct {
	described
	cache.Objects
}

func (t *targeted) Describe() cache.SourceInfo { return t.info }
