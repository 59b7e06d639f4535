package cachetest

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// deletion returns what the deletion of an object by a client makes of it: a
// state in which its finalizers wait to be removed, or nil if it is gone.
func (s strategy) deletion(old *unstructured.Unstructured, options metav1.DeleteOptions) *unstructured.Unstructured {
	finalizers := collectorFinalizers(old.GetFinalizers(), options)
	if len(finalizers) == 0 {
		return nil
	}
	obj := old.DeepCopy()
	obj.SetFinalizers(finalizers)
	s.markDeleting(obj)
	return obj
}

// checkPreconditions refuses to delete another object or state than the client
// means. As from a real server, the resource in the error is the kind.
func (s strategy) checkPreconditions(old metav1.Object, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Group: s.kind.Group, Resource: s.kind.Kind}, old.GetName(), fmt.Errorf(format, args...))
	}
	if stored := old.GetUID(); p.UID != nil && *p.UID != stored {
		return conflict("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, stored)
	}
	if stored := old.GetResourceVersion(); p.ResourceVersion != nil && *p.ResourceVersion != stored {
		return conflict("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, stored)
	}
	return nil
}

// collectorFinalizers returns the finalizers of an object that is deleted: its
// own, and that of the garbage collector which the propagation policy asks for.
func collectorFinalizers(finalizers []string, options metav1.DeleteOptions) []string {
	var policy metav1.DeletionPropagation
	switch {
	case options.OrphanDependents != nil && *options.OrphanDependents: //nolint:staticcheck // clients still may send it
		policy = metav1.DeletePropagationOrphan
	case options.OrphanDependents != nil: //nolint:staticcheck // clients still may send it
		policy = metav1.DeletePropagationBackground
	case options.PropagationPolicy != nil:
		policy = *options.PropagationPolicy
	default:
		return finalizers
	}
	finalizers = slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents
	})
	switch policy {
	case metav1.DeletePropagationOrphan:
		finalizers = append(finalizers, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		finalizers = append(finalizers, metav1.FinalizerDeleteDependents)
	}
	return finalizers
}
