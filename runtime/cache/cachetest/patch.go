package cachetest

import (
	"encoding/json"
	"fmt"
	"net/http"

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

// patch is the body of a PATCH.
type patch struct {
	kind types.PatchType
	text []byte
}

// patchTypes returns the types of patches that a server accepts.
func patchTypes(strategic bool) []string {
	kinds := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	if strategic {
		kinds = append(kinds, string(types.StrategicMergePatchType))
	}
	return append(kinds, string(types.ApplyYAMLPatchType))
}

// to returns what the patch, which is no apply, makes of an object. Example is
// the Go struct whose tags a strategic merge goes by.
func (p patch) to(obj *unstructured.Unstructured, example any) (*unstructured.Unstructured, error) {
	before, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := p.merge(before, example)
	if err != nil {
		return nil, err
	}
	patched := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(after, &patched.Object); err != nil {
		return nil, invalidPatch(after, err)
	}
	return patched, nil
}

func (p patch) merge(before []byte, example any) ([]byte, error) {
	switch p.kind {
	case types.JSONPatchType:
		return p.mergeOperations(before)
	case types.StrategicMergePatchType:
		after, err := strategicpatch.StrategicMergePatch(before, p.text, example)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, nil
	default:
		after, err := jsonpatch.MergePatch(before, p.text)
		if err != nil {
			return nil, apierrors.NewBadRequest("invalid JSON patch")
		}
		return after, nil
	}
}

func (p patch) mergeOperations(before []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(p.text)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
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

// applied returns the object of an apply, in YAML or JSON.
func (p patch) applied() (*unstructured.Unstructured, error) {
	text, err := yaml.ToJSON(p.text)
	obj := &unstructured.Unstructured{}
	if err == nil {
		err = utiljson.Unmarshal(text, &obj.Object)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	return obj, nil
}

// invalidPatch is the error of a patch that makes something of an object that
// can't be decoded.
func invalidPatch(after []byte, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
}
