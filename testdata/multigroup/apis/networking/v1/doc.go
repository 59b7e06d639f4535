// +k8s:deepcopy-gen=package
// +groupName=networking.example.org

// Package v1 is the first stable version of the networking API.
package v1
