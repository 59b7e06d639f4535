package cachetest

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// serveObject responds to a request for one object, or for a new one.
func (e endpoint) serveObject(w http.ResponseWriter, r *http.Request, t target) error {
	f, err := negotiate(r, true, e.protobuf)
	if err != nil {
		return err
	}
	var code int
	var text []byte
	err = e.meet(r.Context(), t.request(r.Method), func() error {
		obj, answer, err := e.carryOut(r, t)
		if err != nil {
			return err
		}
		code = answer
		text, err = f.encode(obj)
		return err
	})
	if err == nil {
		writeBody(w, code, f.contentType(), text)
	}
	return err
}

// carryOut carries out a request for one object.
func (e endpoint) carryOut(r *http.Request, t target) (runtime.Object, int, error) {
	switch {
	case r.Method == http.MethodGet:
		obj, err := e.get(t.key)
		if err == nil {
			setKind(obj, e.kind)
		}
		return obj, http.StatusOK, err
	case r.Method == http.MethodDelete && t.subresource == "":
		return e.carryOutDelete(r, t)
	case r.Method == http.MethodPost && t.key.Name == "", r.Method == http.MethodPut, r.Method == http.MethodPatch:
		return e.carryOutWrite(r, t)
	}
	return nil, 0, t.notSupported(r.Method)
}

func (e endpoint) carryOutWrite(r *http.Request, t target) (runtime.Object, int, error) {
	accepted := e.bodyTypes()
	if r.Method == http.MethodPatch {
		accepted = e.patchTypes()
	}
	b, err := readBody(r, accepted)
	if err != nil {
		return nil, 0, err
	}
	w, err := newWrite(r, t, b)
	if err != nil {
		return nil, 0, err
	}
	var obj runtime.Object
	created := false
	switch r.Method {
	case http.MethodPost:
		created = true
		obj, err = e.createObject(w)
	case http.MethodPut:
		obj, err = e.updateObject(w)
	default:
		obj, created, err = e.patchObject(w)
	}
	if created {
		return obj, http.StatusCreated, err
	}
	return obj, http.StatusOK, err
}

// bodyTypes returns the media types of objects.
func (e endpoint) bodyTypes() []string {
	if e.protobuf {
		return []string{jsonType, yamlType, protoType}
	}
	return []string{jsonType, yamlType}
}

// write is a request of a client that changes an object.
type write struct {
	key         types.NamespacedName
	subresource string
	body        body
	// manager is the owner of the fields that are set.
	manager string
	dryRun  bool
	force   bool
	// strict makes fields that the type does not have an error.
	strict bool
}

// newWrite reads a request to create, update or patch an object.
func newWrite(r *http.Request, t target, b body) (write, error) {
	var options metav1.PatchOptions // they include the options of creates and updates
	query := r.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&query, &options, nil); err != nil {
		return write{}, apierrors.NewBadRequest(err.Error())
	}
	kind := "PatchOptions"
	switch r.Method {
	case http.MethodPost:
		kind, options.Force = "CreateOptions", nil
	case http.MethodPut:
		kind, options.Force = "UpdateOptions", nil
	}
	return write{
		key:         t.key,
		subresource: t.subresource,
		body:        b,
		manager:     managerOf(r, options.FieldManager),
		dryRun:      len(options.DryRun) > 0,
		force:       options.Force != nil && *options.Force,
		strict:      options.FieldValidation == metav1.FieldValidationStrict,
	}, invalidOptions(kind, validation.ValidatePatchOptions(&options, types.PatchType(b.kind)))
}

// applies reports whether the request is a server-side apply.
func (w write) applies() bool { return types.PatchType(w.body.kind) == types.ApplyYAMLPatchType }

func (e endpoint) carryOutDelete(r *http.Request, t target) (runtime.Object, int, error) {
	options, err := deleteOptions(r)
	if err != nil {
		return nil, 0, err
	}
	obj, gone, err := e.deleteObject(write{key: t.key, dryRun: len(options.DryRun) > 0}, options)
	switch {
	case err != nil:
		return nil, 0, err
	case gone:
		return deleted(t.resource.GroupResource(), obj), http.StatusOK, nil
	case options.OrphanDependents != nil && !*options.OrphanDependents: //nolint:staticcheck // clients still may send it
		return obj, http.StatusAccepted, nil
	}
	return obj, http.StatusOK, nil
}

// deleted returns the response to the deletion of an object that is gone. As from a real server, its kind
// is the resource.
func deleted(resource schema.GroupResource, obj runtime.Object) *metav1.Status {
	m := newVersion(obj).meta
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details:  &metav1.StatusDetails{Name: m.GetName(), Group: resource.Group, Kind: resource.Resource, UID: m.GetUID()},
	}
}

func (e endpoint) serveDeleteCollection(w http.ResponseWriter, r *http.Request, t target, selected metav1.ListOptions, f format) error {
	var text []byte
	err := e.meet(r.Context(), t.request(r.Method), func() error {
		options, err := deleteOptions(r)
		if err != nil {
			return err
		}
		objs, list, err := e.deleteCollection(write{key: t.key, dryRun: len(options.DryRun) > 0}, selected, options)
		if err != nil {
			return err
		}
		items := make([][]byte, len(objs))
		for i, obj := range objs {
			if items[i], err = f.encode(obj); err != nil {
				return err
			}
		}
		text, err = e.encodeList(list, items, f)
		return err
	})
	if err == nil {
		writeBody(w, http.StatusOK, jsonType, text)
	}
	return err
}

// deleteOptions returns the options of a deletion. They are in its body, or else in its URL.
func deleteOptions(r *http.Request) (metav1.DeleteOptions, error) {
	var options metav1.DeleteOptions
	b, err := readBody(r, []string{jsonType, protoType})
	if err != nil {
		return options, err
	}
	if len(b.text) > 0 {
		_, _, err = decoder(b.kind, false).Decode(b.text, nil, &options)
	} else {
		query := r.URL.Query()
		err = metav1.Convert_url_Values_To_v1_DeleteOptions(&query, &options, nil)
	}
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	return options, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&options))
}

func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}
