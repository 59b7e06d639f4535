package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ShipmentSpec defines the desired state of Shipment.
type ShipmentSpec struct {
	// Order is the name of the order, in the same namespace, that is sent.
	// +kubebuilder:validation:MinLength=1
	Order string `json:"order"`

	// Carrier is who delivers.
	// +optional
	Carrier string `json:"carrier,omitempty"`
}

// ShipmentStatus defines the observed state of Shipment.
type ShipmentStatus struct {
	// Delivered is true when the customer has it.
	// +optional
	Delivered bool `json:"delivered,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ship;shp,categories={shop}

// Shipment is a parcel on its way to a customer.
type Shipment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipmentSpec   `json:"spec,omitempty"`
	Status ShipmentStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// ShipmentList contains a list of Shipment.
type ShipmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Shipment `json:"items"`
}
