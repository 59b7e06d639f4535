package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OrderPhase says how far an order is.
// +kubebuilder:validation:Enum=Reserved
type OrderPhase string

// OrderReserved is the phase of an order whose items are reserved in its warehouse.
const OrderReserved OrderPhase = "Reserved"

// OrderSpec describes what was ordered.
type OrderSpec struct {
	// Warehouse is where the items come from.
	// +kubebuilder:validation:MinLength=1
	// +informer-gen:index
	Warehouse string `json:"warehouse"`
}

// OrderStatus says what the controller has done about it.
type OrderStatus struct {
	// +optional
	Phase OrderPhase `json:"phase,omitempty"`
}

// Order is a purchase.
// +example:reconcile
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec"`
	Status OrderStatus `json:"status,omitempty"`
}

// OrderList is a list of orders.
// +kubebuilder:object:root=true
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Order `json:"items"`
}
