// Package pod declares what the example slim needs of pods.
package pod

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod has the node and the phase of a pod.
// +informer-gen:slim=k8s.io/api/core/v1.Pod
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// Spec says where a pod runs.
type Spec struct {
	// +informer-gen:index=ByNode
	NodeName string `json:"nodeName,omitempty"`
}

// Status says how far a pod is.
type Status struct {
	Phase corev1.PodPhase `json:"phase,omitempty"`
}
