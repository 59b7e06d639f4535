package cachetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// serveObject answers a request for one object, or for a new one.
func serveObject(w http.ResponseWriter, r *http.Request, e endpoint, t target) {
	f, err := negotiate(r, true, e.hasProtobuf())
	if err != nil {
		writeError(w, err)
		return
	}
	var code int
	var text []byte
	err = e.meet(r.Context(), t.request(r.Method), func() error {
		obj, answer, err := answerObject(r, e, t)
		if err != nil {
			return err
		}
		code = answer
		text, err = f.encode(obj)
		return err
	})
	if err != nil {
		writeError(w, err)
		return
	}
	writeBody(w, code, f.contentType(), text)
}

// answerObject carries out a request for one object.
func answerObject(r *http.Request, e endpoint, t target) (runtime.Object, int, error) {
	code := http.StatusOK
	switch {
	case r.Method == http.MethodGet:
		obj, err := e.get(t.key)
		return obj, code, err
	case r.Method == http.MethodPost && t.key.Name == "":
		obj, err := answerCreate(r, e, t)
		return obj, http.StatusCreated, err
	case r.Method == http.MethodPut:
		obj, err := answerUpdate(r, e, t)
		return obj, code, err
	case r.Method == http.MethodPatch:
		obj, created, err := answerPatch(r, e, t)
		if created {
			code = http.StatusCreated
		}
		return obj, code, err
	case r.Method == http.MethodDelete && t.subresource == "":
		return answerDelete(r, e, t)
	}
	return nil, 0, t.notSupported(r.Method)
}

func answerCreate(r *http.Request, e endpoint, t target) (runtime.Object, error) {
	options, err := parameters(r, "CreateOptions", metav1.Convert_url_Values_To_v1_CreateOptions, validation.ValidateCreateOptions)
	if err != nil {
		return nil, err
	}
	b, err := readBody(r, e.bodyTypes())
	if err != nil {
		return nil, err
	}
	return e.create(write{
		key:     t.key,
		manager: managerOf(r, options.FieldManager),
		dryRun:  len(options.DryRun) > 0,
		strict:  options.FieldValidation == metav1.FieldValidationStrict,
	}, b)
}

func answerUpdate(r *http.Request, e endpoint, t target) (runtime.Object, error) {
	options, err := parameters(r, "UpdateOptions", metav1.Convert_url_Values_To_v1_UpdateOptions, validation.ValidateUpdateOptions)
	if err != nil {
		return nil, err
	}
	b, err := readBody(r, e.bodyTypes())
	if err != nil {
		return nil, err
	}
	return e.update(write{
		key:         t.key,
		subresource: t.subresource,
		manager:     managerOf(r, options.FieldManager),
		dryRun:      len(options.DryRun) > 0,
		strict:      options.FieldValidation == metav1.FieldValidationStrict,
	}, b)
}

func answerPatch(r *http.Request, e endpoint, t target) (runtime.Object, bool, error) {
	b, err := readBody(r, e.patchTypes())
	if err != nil {
		return nil, false, err
	}
	kind := types.PatchType(b.kind)
	options, err := parameters(r, "PatchOptions", metav1.Convert_url_Values_To_v1_PatchOptions, func(options *metav1.PatchOptions) field.ErrorList {
		return validation.ValidatePatchOptions(options, kind)
	})
	if err != nil {
		return nil, false, err
	}
	return e.patch(write{
		key:         t.key,
		subresource: t.subresource,
		manager:     managerOf(r, options.FieldManager),
		dryRun:      len(options.DryRun) > 0,
		force:       options.Force != nil && *options.Force,
		strict:      options.FieldValidation == metav1.FieldValidationStrict,
	}, patch{kind: kind, text: b.text})
}

func answerDelete(r *http.Request, e endpoint, t target) (runtime.Object, int, error) {
	options, err := deleteOptions(r)
	if err != nil {
		return nil, 0, err
	}
	obj, gone, err := e.delete(write{key: t.key, dryRun: len(options.DryRun) > 0}, options)
	if err != nil {
		return nil, 0, err
	}
	if gone {
		return deleted(t.resource.GroupResource(), obj), http.StatusOK, nil
	}
	if options.OrphanDependents != nil && !*options.OrphanDependents { //nolint:staticcheck // clients still may send it
		return obj, http.StatusAccepted, nil
	}
	return obj, http.StatusOK, nil
}

// deleted is the answer to the deletion of an object that is gone. As from a
// real server, the kind in it is the resource.
func deleted(resource schema.GroupResource, obj runtime.Object) *metav1.Status {
	m, _ := meta.Accessor(obj)
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details:  &metav1.StatusDetails{Name: m.GetName(), Group: resource.Group, Kind: resource.Resource, UID: m.GetUID()},
	}
}

func serveDeleteCollection(w http.ResponseWriter, r *http.Request, e endpoint, t target, selected metav1.ListOptions, f format) {
	var objs []runtime.Object
	var list metav1.ListMeta
	err := e.meet(r.Context(), t.request(r.Method), func() error {
		options, err := deleteOptions(r)
		if err == nil {
			objs, list, err = e.deleteCollection(write{key: t.key, dryRun: len(options.DryRun) > 0}, selected, options)
		}
		return err
	})
	if err != nil {
		writeError(w, err)
		return
	}
	head, err := e.listHead(list, f)
	if err != nil {
		writeError(w, err)
		return
	}
	items := make([][]byte, len(objs))
	for i, obj := range objs {
		if items[i], err = f.encode(obj); err != nil {
			writeError(w, err)
			return
		}
	}
	writeJSON(w, http.StatusOK, slices.Concat(head, bytes.Join(items, []byte(",")), []byte("]}\n")))
}

// deleteOptions returns the options of a deletion, which are in its body, or
// else in its URL.
func deleteOptions(r *http.Request) (metav1.DeleteOptions, error) {
	b, err := readBody(r, []string{jsonType, protoType})
	if err != nil {
		return metav1.DeleteOptions{}, err
	}
	if len(b.text) == 0 {
		return parameters(r, "DeleteOptions", metav1.Convert_url_Values_To_v1_DeleteOptions, validation.ValidateDeleteOptions)
	}
	var options metav1.DeleteOptions
	if b.kind == protoType {
		_, err = unmarshalProtobuf(b.text, &options)
	} else {
		err = json.Unmarshal(b.text, &options)
	}
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&options))
}

// parameters returns the options in the URL of a request.
func parameters[O any](r *http.Request, kind string, convert func(*url.Values, *O, conversion.Scope) error, validate func(*O) field.ErrorList) (O, error) {
	var options O
	query := r.URL.Query()
	if err := convert(&query, &options, nil); err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, invalidOptions(kind, validate(&options))
}

func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// readBody returns the body of a request, if it has one of the types accepted.
func readBody(r *http.Request, accepted []string) (body, error) {
	kind := mediaType(r)
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return body{}, apierrors.NewBadRequest(err.Error())
	}
	if len(text) > 0 || r.Method == http.MethodPatch {
		if err := requireMediaType(kind, accepted); err != nil {
			return body{}, err
		}
	}
	return body{kind: kind, text: text}, nil
}
