package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +kubebuilder:object:root=true
// +informer-gen:index=ByTeam,func=TeamOf
// +informer-gen:index=ByCondition,func=ConditionsOf

// Machine has an index of each form.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec"`
	Status MachineStatus `json:"status,omitempty"`
}

// MachineSpec has fields of each kind that can be indexed.
type MachineSpec struct {
	// +informer-gen:index
	Zone string `json:"zone"`
	// +informer-gen:index
	Size Size `json:"size"`
	// +informer-gen:index
	Slots uint16 `json:"slots"`
	// +informer-gen:index
	Paused bool `json:"paused"`
	// +informer-gen:index=ByPool
	PoolName *string `json:"poolName,omitempty"`
	// +informer-gen:index=ByTag
	Tags []Tag `json:"tags,omitempty"`
	// +informer-gen:index=BySecret
	Credentials []corev1.SecretKeySelector `json:"credentials,omitempty"`

	Placement `json:",inline"`
	Disks     []Disk              `json:"disks,omitempty"`
	Networks  map[string]*Network `json:"networks,omitempty"`
}

// Size is a named string, and Tag another one.
type (
	Size string
	Tag  string
)

// Placement is embedded.
type Placement struct {
	Rack *Rack `json:"rack,omitempty"`
}

// Rack is behind a pointer.
type Rack struct {
	// +informer-gen:index=ByRackUnit
	Unit int32 `json:"unit"`
}

// Disk is in a slice.
type Disk struct {
	Class string `json:"class"` // +informer-gen:index=ByDiskClass
}

// Network is in a map, and has slices of its own.
type Network struct {
	Interfaces [2]Interface `json:"interfaces"`
}

// Interface is in an array.
type Interface struct {
	// +informer-gen:index
	Addresses []string `json:"addresses,omitempty"`
}

// MachineStatus has an index as well.
type MachineStatus struct {
	// +informer-gen:index
	OwnerUID   types.UID `json:"ownerUID,omitempty"`
	Conditions []string  `json:"conditions,omitempty"`
}

// TeamOf returns the team that a machine belongs to.
func TeamOf(machine *Machine) string { return machine.Labels["team"] }

// ConditionsOf returns the conditions that a machine has.
func ConditionsOf(machine *Machine) []string { return machine.Status.Conditions }

// +kubebuilder:object:root=true

// MachineList is a list of Machines.
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Machine `json:"items"`
}
