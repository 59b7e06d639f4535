package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WarehouseSpec defines the desired state of Warehouse.
type WarehouseSpec struct {
	// Location is the town it stands in.
	// +kubebuilder:validation:MinLength=1
	Location string `json:"location"`

	// Capacity is how many items it can hold.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Capacity int64 `json:"capacity,omitempty"`
}

// WarehouseStatus defines the observed state of Warehouse.
type WarehouseStatus struct {
	// Reserved is how many items orders have reserved.
	// +optional
	Reserved int64 `json:"reserved,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=wh

// Warehouse is a place that orders are fulfilled from.
type Warehouse struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WarehouseSpec   `json:"spec,omitempty"`
	Status WarehouseStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// WarehouseList contains a list of Warehouse.
type WarehouseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Warehouse `json:"items"`
}
