// Package v1 has types with indexes.
// +groupName=fleet.example.com
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the types.
var GroupVersion = schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}
