package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OrderPhase says how far an order is.
// +kubebuilder:validation:Enum=Pending;Reserved;Shipped;Cancelled
type OrderPhase string

// The phases of an order.
const (
	OrderPending   OrderPhase = "Pending"
	OrderReserved  OrderPhase = "Reserved"
	OrderShipped   OrderPhase = "Shipped"
	OrderCancelled OrderPhase = "Cancelled"
)

// OrderItem is one line of an order.
type OrderItem struct {
	// SKU names the article.
	// +kubebuilder:validation:MinLength=1
	SKU string `json:"sku"`

	// Quantity is how many of it are ordered.
	// +kubebuilder:validation:Minimum=1
	Quantity int32 `json:"quantity"`
}

// OrderSpec defines the desired state of Order.
type OrderSpec struct {
	// Customer is who ordered.
	// +kubebuilder:validation:MinLength=1
	Customer string `json:"customer"`

	// Items are what was ordered.
	// +kubebuilder:validation:MinItems=1
	Items []OrderItem `json:"items"`

	// Warehouse is where the items are to come from. If it is empty, any
	// warehouse will do.
	// +optional
	Warehouse string `json:"warehouse,omitempty"`
}

// OrderStatus defines the observed state of Order.
type OrderStatus struct {
	// Phase says how far the order is.
	// +optional
	Phase OrderPhase `json:"phase,omitempty"`

	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are the latest observations of the order.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Customer",type=string,JSONPath=`.spec.customer`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`

// Order is what a customer buys. It is fulfilled from one warehouse.
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec,omitempty"`
	Status OrderStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// OrderList contains a list of Order.
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Order `json:"items"`
}
