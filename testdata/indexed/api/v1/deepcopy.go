package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyObject copies what the tests change.
func (in *Machine) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Tags, out.Spec.Disks = slices.Clone(in.Spec.Tags), slices.Clone(in.Spec.Disks)
	out.Spec.Credentials = slices.Clone(in.Spec.Credentials)
	out.Spec.Networks, out.Status.Conditions = maps.Clone(in.Spec.Networks), slices.Clone(in.Status.Conditions)
	return &out
}

// DeepCopyObject copies what the tests change.
func (in *MachineList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = slices.Clone(in.Items)
	return &out
}

// DeepCopyObject copies a Zone.
func (in *Zone) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject copies a list of Zones.
func (in *ZoneList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = slices.Clone(in.Items)
	return &out
}
