package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OrderSummary is what a dashboard shows of an order. Its name is not that of the kind.
// +informer-gen:slim=github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1.Order
type OrderSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Customer string      `json:"customer"`
		Items    []OrderItem `json:"items"`
	} `json:"spec,omitempty"`

	// Total is set by a transform.
	Total int64 `json:"-"`
}

// OrderItem is how many are ordered of an article.
type OrderItem struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}
