package cachetest

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// statusSubresource is the only subresource that the server has.
const statusSubresource = "status"

// The methods below prepare and validate the objects that clients write. They decide which fields clients
// may set, and which fields the server sets. The rules are the rules of custom resources, except for
// built-in types.

// wipe removes from a new object the fields that the server or the subresource sets.
func (e endpoint) wipe(obj *unstructured.Unstructured) {
	obj.SetUID("")
	obj.SetCreationTimestamp(metav1.Time{})
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetSelfLink("")
	if e.status {
		delete(obj.Object, statusSubresource)
	}
}

// prepareNew prepares and validates an object before it is stored for the first time.
func (e endpoint) prepareNew(obj *unstructured.Unstructured, uid types.UID) error {
	e.wipe(obj)
	obj.SetUID(uid)
	obj.SetCreationTimestamp(now())
	obj.SetGeneration(1)
	return e.invalid(obj, e.validateMetadata(obj))
}

// prepare prepares an object that replaces old. The subresource says which part of old may change.
func (e endpoint) prepare(obj, old *unstructured.Unstructured, subresource string) error {
	if err := e.checkVersion(obj, old); err != nil {
		return err
	}
	obj.SetGeneration(old.GetGeneration())
	if subresource == statusSubresource {
		resetAllButStatus(obj, old)
	} else {
		if e.status {
			setStatus(obj, old)
		}
		if !equality.Semantic.DeepEqual(without(obj.Object, "metadata"), without(old.Object, "metadata")) {
			obj.SetGeneration(old.GetGeneration() + 1)
		}
	}
	keepMetadata(obj, old)
	return nil
}

// validate returns an error if old must not get the metadata of obj.
func (e endpoint) validate(obj, old *unstructured.Unstructured) error {
	errs := validation.ValidateObjectMetaAccessorUpdate(obj, old, field.NewPath("metadata"))
	return e.invalid(obj, append(e.validateMetadata(obj), errs...))
}

func (e endpoint) validateMetadata(obj *unstructured.Unstructured) field.ErrorList {
	return validation.ValidateObjectMetaAccessor(obj, obj.GetNamespace() != "", e.validateName, field.NewPath("metadata"))
}

// checkUID returns an error if obj would replace another object of its name.
func (e endpoint) checkUID(obj, old *unstructured.Unstructured) error {
	if uid := obj.GetUID(); uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(e.path.GroupResource(), old.GetName(), fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", uid, old.GetUID()))
	}
	return nil
}

// checkVersion returns an error if obj would replace a state that is not the latest.
func (e endpoint) checkVersion(obj, old *unstructured.Unstructured) error {
	where := field.NewPath("metadata", "resourceVersion")
	switch rv := obj.GetResourceVersion(); {
	case rv == "" && !e.builtIn:
		// As from a real server, the kind in the error is the resource.
		kind := schema.GroupKind{Group: e.path.Group, Kind: e.path.Resource}
		return apierrors.NewInvalid(kind, old.GetName(), field.ErrorList{field.Invalid(where, 0, "must be specified for an update")})
	case rv != "" && rv != old.GetResourceVersion():
		if _, err := parseVersion(rv); err != nil {
			return e.invalid(obj, field.ErrorList{field.Invalid(where, rv, err.Error())})
		}
		return apierrors.NewConflict(e.path.GroupResource(), old.GetName(), fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
	}
	obj.SetResourceVersion(old.GetResourceVersion())
	return nil
}

// setStatus copies the status of another object.
func setStatus(obj, from *unstructured.Unstructured) {
	if status, ok := from.Object[statusSubresource]; ok {
		obj.Object[statusSubresource] = status
	} else {
		delete(obj.Object, statusSubresource)
	}
}

// resetAllButStatus restores all fields that the status subresource must not change. The managed fields
// name the manager that changed the status.
func resetAllButStatus(obj, old *unstructured.Unstructured) {
	reset := old.DeepCopy()
	setStatus(reset, obj)
	reset.SetManagedFields(obj.GetManagedFields())
	obj.Object = reset.Object
}

// keepMetadata restores the metadata that an update can't change and need not repeat.
func keepMetadata(obj, old *unstructured.Unstructured) {
	if obj.GetUID() == "" {
		obj.SetUID(old.GetUID())
	}
	if created := old.GetCreationTimestamp(); !created.IsZero() {
		obj.SetCreationTimestamp(created)
	}
	if deleted := old.GetDeletionTimestamp(); deleted != nil {
		obj.SetDeletionTimestamp(deleted)
	}
	if grace := old.GetDeletionGracePeriodSeconds(); grace != nil && obj.GetDeletionGracePeriodSeconds() == nil {
		obj.SetDeletionGracePeriodSeconds(grace)
	}
}

// deletion returns the state of an object after its deletion by a client: it waits for its finalizers, or
// is nil if it is gone.
func deletion(old *unstructured.Unstructured, options metav1.DeleteOptions) *unstructured.Unstructured {
	finalizers := collectorFinalizers(old.GetFinalizers(), options)
	if len(finalizers) == 0 {
		return nil
	}
	obj := old.DeepCopy()
	obj.SetFinalizers(finalizers)
	markDeleting(obj)
	return obj
}

// checkPreconditions returns an error if the stored object or its state is not the one that the client
// wants to delete. As from a real server, the resource in the error is the kind.
func (e endpoint) checkPreconditions(old metav1.Object, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Group: e.kind.Group, Resource: e.kind.Kind}, old.GetName(), fmt.Errorf(format, args...))
	}
	if stored := old.GetUID(); p.UID != nil && *p.UID != stored {
		return conflict("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, stored)
	}
	if stored := old.GetResourceVersion(); p.ResourceVersion != nil && *p.ResourceVersion != stored {
		return conflict("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, stored)
	}
	return nil
}

// collectorFinalizers returns the finalizers of an object that is deleted: its own, and the garbage
// collector's that the propagation policy asks for.
func collectorFinalizers(finalizers []string, options metav1.DeleteOptions) []string {
	policy := options.PropagationPolicy
	if orphan := options.OrphanDependents; orphan != nil { //nolint:staticcheck // clients still may send it
		of := metav1.DeletePropagationBackground
		if *orphan {
			of = metav1.DeletePropagationOrphan
		}
		policy = &of
	}
	if policy == nil {
		return finalizers
	}
	finalizers = slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool {
		return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents
	})
	switch *policy {
	case metav1.DeletePropagationOrphan:
		finalizers = append(finalizers, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		finalizers = append(finalizers, metav1.FinalizerDeleteDependents)
	}
	return finalizers
}

// markDeleting marks an object as being deleted. It is gone when its last finalizer is removed.
func markDeleting(obj *unstructured.Unstructured) {
	if obj.GetDeletionTimestamp() == nil {
		if generation := obj.GetGeneration(); generation > 0 {
			obj.SetGeneration(generation + 1)
		}
		deleted := now()
		obj.SetDeletionTimestamp(&deleted)
	}
	grace := int64(0)
	obj.SetDeletionGracePeriodSeconds(&grace)
}

// validateName validates a name. Names of RBAC have colons, so anything is allowed that a path can hold.
func (e endpoint) validateName(name string, prefix bool) []string {
	if e.kind.Group == "rbac.authorization.k8s.io" {
		return path.ValidatePathSegmentName(name, prefix)
	}
	return validation.NameIsDNSSubdomain(name, prefix)
}

func (e endpoint) invalid(obj *unstructured.Unstructured, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(e.kind.GroupKind(), obj.GetName(), errs)
}

// finished reports whether an object is gone, since it is being deleted and its last finalizer was removed.
func finished(obj, old metav1.Object) bool {
	grace := old.GetDeletionGracePeriodSeconds()
	return len(obj.GetFinalizers()) == 0 && old.GetDeletionTimestamp() != nil && (grace == nil || *grace == 0)
}

// now returns the time as objects hold it, in seconds.
func now() metav1.Time { return metav1.NewTime(time.Now()).Rfc3339Copy() }
