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
	// TypeConverter knows the lists of the type, for server-side apply: which are
	// sets, or maps by a key. The default knows none, so that a manager that
	// applies a list owns it as a whole, as with a custom resource whose schema
	// says nothing of its lists. client-go has one for the types that are built
	// in: applyconfigurations.NewTypeConverter.
	TypeConverter managedfields.TypeConverter
}
