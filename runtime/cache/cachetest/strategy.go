package cachetest

import (
	"fmt"
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

// statusSubresource is the only subresource that a server has.
const statusSubresource = "status"

// strategy prepares and validates the objects that clients write: which
// fields clients may set, and which ones are the server's. The rules are those
// of custom resources, but for types that are built in.
type strategy struct {
	kind     schema.GroupVersionKind
	resource schema.GroupResource
	// status says that status is written by its subresource alone.
	status bool
	// builtIn says that an update needs no resourceVersion.
	builtIn bool
}

// wipe removes from a new object what the server sets.
func wipe(obj *unstructured.Unstructured) {
	obj.SetUID("")
	obj.SetCreationTimestamp(metav1.Time{})
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetSelfLink("")
}

// create prepares an object to be stored for the first time.
func (s strategy) create(obj *unstructured.Unstructured, uid types.UID) error {
	wipe(obj)
	obj.SetUID(uid)
	obj.SetCreationTimestamp(now())
	obj.SetGeneration(1)
	if s.status {
		delete(obj.Object, statusSubresource)
	}
	return s.invalid(obj, validation.ValidateObjectMetaAccessor(obj, obj.GetNamespace() != "", s.validateName, field.NewPath("metadata")))
}

// update prepares an object to be stored instead of old.
func (s strategy) update(obj, old *unstructured.Unstructured, subresource string) error {
	if err := s.checkVersion(obj, old); err != nil {
		return err
	}
	obj.SetGeneration(old.GetGeneration())
	if subresource == statusSubresource {
		s.resetAllButStatus(obj, old)
	} else {
		s.resetStatus(obj, old)
		if !equality.Semantic.DeepEqual(withoutMetadata(obj), withoutMetadata(old)) {
			obj.SetGeneration(old.GetGeneration() + 1)
		}
	}
	keepMetadata(obj, old)
	where := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(obj, obj.GetNamespace() != "", s.validateName, where)
	return s.invalid(obj, append(errs, validation.ValidateObjectMetaAccessorUpdate(obj, old, where)...))
}

// checkUID refuses to replace an object by another one of that name.
func (s strategy) checkUID(obj, old *unstructured.Unstructured) error {
	if uid := obj.GetUID(); uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(s.resource, old.GetName(), fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", uid, old.GetUID()))
	}
	return nil
}

// checkVersion refuses to replace a state that is not the latest.
func (s strategy) checkVersion(obj, old *unstructured.Unstructured) error {
	switch rv := obj.GetResourceVersion(); {
	case rv == "" && !s.builtIn:
		// As from a real server, the kind in it is the resource.
		kind := schema.GroupKind{Group: s.resource.Group, Kind: s.resource.Resource}
		return apierrors.NewInvalid(kind, old.GetName(), field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	case rv != "" && rv != old.GetResourceVersion():
		if _, err := parseVersion(rv); err != nil {
			return s.invalid(obj, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), rv, err.Error())})
		}
		return modified(s.resource, old.GetName())
	}
	obj.SetResourceVersion(old.GetResourceVersion())
	return nil
}

// modified is the error of an update of a state that is not the latest.
func modified(resource schema.GroupResource, name string) error {
	return apierrors.NewConflict(resource, name, fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
}

// resetStatus takes back what only the status subresource may change.
func (s strategy) resetStatus(obj, old *unstructured.Unstructured) {
	if !s.status {
		return
	}
	if status, ok := old.Object[statusSubresource]; ok {
		obj.Object[statusSubresource] = status
	} else {
		delete(obj.Object, statusSubresource)
	}
}

// resetAllButStatus takes back what the status subresource may not change. The
// managed fields name the manager that changed the status.
func (s strategy) resetAllButStatus(obj, old *unstructured.Unstructured) {
	status, ok := obj.Object[statusSubresource]
	managed := obj.GetManagedFields()
	obj.Object = old.DeepCopy().Object
	obj.SetManagedFields(managed)
	if ok {
		obj.Object[statusSubresource] = status
	} else {
		delete(obj.Object, statusSubresource)
	}
}

// keepMetadata restores the metadata that an update can't change, and does not
// have to repeat.
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

// markDeleting makes an object one that is deleted when its last finalizer
// goes.
func (s strategy) markDeleting(obj *unstructured.Unstructured) {
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

// validateName allows what a path can hold to RBAC, whose names have colons.
func (s strategy) validateName(name string, prefix bool) []string {
	if s.kind.Group == "rbac.authorization.k8s.io" {
		return path.ValidatePathSegmentName(name, prefix)
	}
	return validation.NameIsDNSSubdomain(name, prefix)
}

func (s strategy) invalid(obj *unstructured.Unstructured, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(s.kind.GroupKind(), obj.GetName(), errs)
}

func withoutMetadata(obj *unstructured.Unstructured) map[string]any {
	rest := make(map[string]any, len(obj.Object))
	for name, value := range obj.Object {
		if name != "metadata" {
			rest[name] = value
		}
	}
	return rest
}

// finished says that an object is gone now that its last finalizer is.
func finished(obj, old metav1.Object) bool {
	grace := old.GetDeletionGracePeriodSeconds()
	return len(obj.GetFinalizers()) == 0 && old.GetDeletionTimestamp() != nil && (grace == nil || *grace == 0)
}

// now is the time as objects hold it, in seconds.
func now() metav1.Time { return metav1.NewTime(time.Now()).Rfc3339Copy() }
