package cachetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// maxPatchOperations limits the operations of a JSON patch.
const maxPatchOperations = 10_000

// patchTypes returns the types of patches for the objects of the endpoint.
func (e endpoint) patchTypes() []string {
	kinds := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	if e.builtIn {
		kinds = append(kinds, string(types.StrategicMergePatchType))
	}
	return append(kinds, string(types.ApplyYAMLPatchType))
}

// patched returns the object that results from a patch other than an apply.
func (e endpoint) patched(obj *unstructured.Unstructured, patch body) (*unstructured.Unstructured, error) {
	before, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	var after []byte
	switch types.PatchType(patch.kind) {
	case types.JSONPatchType:
		after, err = operate(before, patch.text)
	case types.StrategicMergePatchType:
		// The tags of the Go type say how to merge.
		after, err = strategicpatch.StrategicMergePatch(before, patch.text, reflect.New(elem(e.goType)).Interface())
	default:
		if after, err = jsonpatch.MergePatch(before, patch.text); err != nil {
			err = errors.New("invalid JSON patch")
		}
	}
	if isStatus(err) {
		return nil, err
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	patched := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(after, &patched.Object); err != nil {
		return nil, invalidPatch(after, err)
	}
	return patched, nil
}

// operate carries out the operations of a JSON patch.
func operate(before, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	if len(operations) > maxPatchOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOperations, len(operations)))
	}
	after, err := operations.Apply(before)
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return after, nil
}

// applied returns the object of an apply, in YAML or JSON, without the fields that the resource or its
// subresource does not write.
func (e endpoint) applied(w write) (*unstructured.Unstructured, error) {
	text, err := yaml.ToJSON(w.body.text)
	obj := &unstructured.Unstructured{}
	if err == nil {
		err = utiljson.Unmarshal(text, &obj.Object)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	switch {
	case w.subresource == statusSubresource:
		delete(obj.Object, "spec")
		for _, name := range []string{"annotations", "finalizers", "labels", "ownerReferences"} {
			unstructured.RemoveNestedField(obj.Object, "metadata", name)
		}
	case e.status:
		delete(obj.Object, statusSubresource)
	}
	return obj, nil
}

// invalidPatch returns the error for a patch whose result can't be decoded.
func invalidPatch(after []byte, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
}
