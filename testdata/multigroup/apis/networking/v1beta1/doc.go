// +k8s:deepcopy-gen=package

// Package v1beta1 is the version before the first stable one.
package v1beta1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupName is the name of the group.
const GroupName = "networking.example.org"

// SchemeGroupVersion is what the types of this package are registered under.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1beta1"}
