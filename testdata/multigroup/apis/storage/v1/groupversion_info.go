// Package v1 is the storage API.
// +kubebuilder:object:generate=true
// +groupName=storage.example.org
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is what the types of this package are registered under.
var GroupVersion = schema.GroupVersion{Group: "storage.example.org", Version: "v1"}

// OtherGroupVersion is not that of this package.
var OtherGroupVersion = schema.GroupVersion{Group: "other.example.org", Version: "v2"}
