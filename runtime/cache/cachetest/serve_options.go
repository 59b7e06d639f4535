package cachetest

import "k8s.io/apimachinery/pkg/util/managedfields"

// ServeOptions says how a resource is served. The zero value is a namespaced
// resource, with a status subresource if its objects can have a status.
type ServeOptions struct {
	// ClusterScoped tells clients, by discovery, that the objects have no
	// namespace.
	ClusterScoped bool
	// NoStatus makes status a field like others. By default it is a
	// subresource: what a client creates or updates keeps the status that is
	// stored, and only a write to .../status changes it. A Go type without a
	// field "status" has no such subresource anyway.
	NoStatus bool
	// TypeConverter tells server-side apply the fields of the type. The default
	// reads them from the Go type: a list is a set, or a map by a key, if its
	// tags for strategic merges say so (patchStrategy, patchMergeKey), and is
	// owned as a whole otherwise. For the types of k8s.io/api, whose lists may
	// have more keys than that, client-go has an exact one:
	// applyconfigurations.NewTypeConverter.
	TypeConverter managedfields.TypeConverter
}
