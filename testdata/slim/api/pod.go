// Package api declares what a program needs of other people's API types.
package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod has the fields of pods that this program needs.
// +informer-gen:slim=k8s.io/api/core/v1.Pod
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodSpec   `json:"spec,omitempty"`
	Status PodStatus `json:"status,omitempty"`
}

// PodSpec has the fields of corev1.PodSpec that this program needs.
type PodSpec struct {
	// +informer-gen:index
	NodeName string `json:"nodeName,omitempty"`

	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Containers   []Container       `json:"containers"`
	Volumes      []Volume          `json:"volumes,omitempty"`
	Tolerations  []*Toleration     `json:"tolerations,omitempty"`

	GracePeriod int64 `json:"terminationGracePeriodSeconds,omitempty"`
}

// Container has the image of a container, and what it asks for.
type Container struct {
	Name  string   `json:"name"`
	Image string   `json:"image,omitempty"`
	Args  []string `json:"args,omitempty"`
	Ports []struct {
		ContainerPort int32 `json:"containerPort"`
	} `json:"ports,omitempty"`
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
}

// Volume has one of the sources that a volume may have, which corev1.Volume embeds.
type Volume struct {
	Name   string                     `json:"name"`
	Secret *corev1.SecretVolumeSource `json:"secret,omitempty"`
}

// Toleration is of plain fields only.
type Toleration struct {
	Key      string                    `json:"key,omitempty"`
	Operator corev1.TolerationOperator `json:"operator,omitempty"`
	Effect   string                    `json:"effect,omitempty"`
}

// PodStatus has the phase of a pod, and since when it runs.
type PodStatus struct {
	Phase     corev1.PodPhase `json:"phase,omitempty"`
	StartTime *metav1.Time    `json:"startTime,omitempty"`
	PodIPs    []corev1.PodIP  `json:"podIPs,omitempty"`
}
