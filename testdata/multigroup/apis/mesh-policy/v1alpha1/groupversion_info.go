// Package v1alpha1 has a group whose first segment another group has too, in a
// directory whose name can't be that of a Go package.
// +kubebuilder:object:generate=true
// +groupName=networking.mesh.example.org
// +groupGoName=MeshPolicy
package v1alpha1
