package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Base is what every type of this group begins with.
type Base struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=volumes,scope="Cluster",categories={storage,all}

// Volume is a place to keep data.
type Volume struct {
	Base `json:",inline"`

	// Size is in bytes.
	Size int64 `json:"size"`
}

// +kubebuilder:object:root=true

// VolumeList is a list of Volumes.
type VolumeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Volume `json:"items"`
}

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=diskclaims

// Claim asks for a Volume. The resource is called otherwise than the type.
type Claim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Volume is the name of the Volume.
	Volume string `json:"volume,omitempty"`
}

// +kubebuilder:object:root=true

// ClaimList is a list of Claims.
type ClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Claim `json:"items"`
}

// +kubebuilder:object:root=true

// Settings is a root type without a list, which nothing is generated for.
type Settings struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
