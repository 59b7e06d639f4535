package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/testdata/multigroup/apis/networking/v1"
)

type (
	//+genclient
	//+k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

	// Gateway is the same as in v1.
	Gateway v1.Gateway

	// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

	// GatewayList is a list of Gateways.
	GatewayList struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata,omitempty"`
		Items           []*Gateway `json:"items"`
	}
)

/*
+genclient
+genclient:skipVerbs=get
+k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
*/

// Endpoints are where traffic goes. They can be listed and watched but not got,
// so that they have an informer and no lister.
type Endpoints struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// +genclient
// +genclient:onlyVerbs=get,list
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Report has a lister and, as it can't be watched, no informer.
type Report struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
