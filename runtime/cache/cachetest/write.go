package cachetest

import (
	"encoding/json"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// content returns an object as the values of its JSON. Writes are computed in this form.
func (e endpoint) content(v *version) (*unstructured.Unstructured, error) {
	text, err := format{}.encode(e.response(v))
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(text, &u.Object); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return u, nil
}

// fromContent is the inverse of content. Values without a field in the type are dropped, or an error if
// strict is set.
func (e endpoint) fromContent(u *unstructured.Unstructured, strict bool) (*version, error) {
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return e.decode(body{jsonType, text}, strict)
}

// normal returns content as it is after it was stored.
func (e endpoint) normal(u *unstructured.Unstructured, w write) (*unstructured.Unstructured, error) {
	v, err := e.fromContent(u, w.strict)
	if err != nil {
		return nil, invalidPatch(w.body.text, err)
	}
	return e.content(v)
}

// read returns the object of a body. It must be the object that the request names.
func (e endpoint) read(w write) (*unstructured.Unstructured, error) {
	v, err := e.decode(w.body, w.strict)
	if err != nil {
		return nil, err
	}
	if v.meta.GetNamespace() == "" {
		v.meta.SetNamespace(w.key.Namespace)
	}
	if err := w.check(v.meta); err != nil {
		return nil, err
	}
	return e.content(v)
}

// check returns an error if an object is not the one that the request names.
func (w write) check(obj metav1.Object) error {
	if got := obj.GetName(); w.key.Name != "" && got != w.key.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, w.key.Name))
	}
	if obj.GetNamespace() != w.key.Namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// createObject stores a new object.
func (e endpoint) createObject(w write) (runtime.Object, error) {
	obj, err := e.read(w)
	if err != nil {
		return nil, err
	}
	managers, err := e.fieldManagers()
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	e.wipe(obj)
	if obj, err = managers[""].update(nil, obj, w.manager); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(http.MethodPost); err != nil {
		return nil, err
	}
	return e.createLocked(w, obj)
}

// createLocked stores a new object, with the API locked.
func (e endpoint) createLocked(w write, obj *unstructured.Unstructured) (runtime.Object, error) {
	if obj.GetResourceVersion() != "" {
		// A real server returns an internal error here, too.
		return nil, statusError(http.StatusInternalServerError, "", "resourceVersion should not be set on objects to be created")
	}
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(e.generateNameLocked(obj.GetGenerateName()))
	}
	if err := e.prepareNew(obj, e.nextUIDLocked()); err != nil {
		return nil, err
	}
	v, err := e.fromContent(obj, false)
	if err != nil {
		return nil, err
	}
	if e.objects[v.key()] != nil {
		return nil, apierrors.NewAlreadyExists(e.path.GroupResource(), v.meta.GetName())
	}
	if !w.dryRun {
		e.changeLocked(v.key(), v)
	}
	return e.response(v), nil
}

// updateObject replaces an object.
func (e endpoint) updateObject(w write) (runtime.Object, error) {
	obj, err := e.read(w)
	if err != nil {
		return nil, err
	}
	answer, _, err := e.change(w, http.MethodPut, func(manager fieldManager, old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if err := e.checkUID(obj, old); err != nil {
			return nil, err
		}
		if err := e.prepare(obj, old, w.subresource); err != nil {
			return nil, err
		}
		return manager.update(old, obj, w.manager)
	})
	return answer, err
}

// patchObject changes an object, or creates it by an apply. It reports whether the object is new.
func (e endpoint) patchObject(w write) (runtime.Object, bool, error) {
	if w.applies() {
		return e.applyObject(w)
	}
	return e.change(w, http.MethodPatch, func(manager fieldManager, old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		obj, err := e.patched(old, w.body)
		if err != nil {
			return nil, err
		}
		if obj, err = e.normal(obj, w); err != nil {
			return nil, err
		}
		if err := w.check(obj); err != nil {
			return nil, err
		}
		if err := e.prepare(obj, old, w.subresource); err != nil {
			return nil, err
		}
		return manager.update(old, obj, w.manager)
	})
}

func (e endpoint) applyObject(w write) (runtime.Object, bool, error) {
	applied, err := e.applied(w)
	if err != nil {
		return nil, false, err
	}
	return e.change(w, http.MethodPatch, func(manager fieldManager, old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		obj, err := manager.apply(old, applied, w.manager, w.force)
		if err != nil {
			return nil, err
		}
		if obj, err = e.normal(obj, w); err != nil {
			return nil, err
		}
		if obj.GetNamespace() == "" {
			obj.SetNamespace(w.key.Namespace)
		}
		if err := w.check(obj); err != nil || old == nil {
			return obj, err
		}
		return obj, e.prepare(obj, old, w.subresource)
	})
}

// edit returns the result of a request for an object. old is nil if there is no object yet.
type edit func(manager fieldManager, old *unstructured.Unstructured) (*unstructured.Unstructured, error)

// change stores an edited object, and reports whether it is new: an apply may create it.
func (e endpoint) change(w write, method string, edit edit) (runtime.Object, bool, error) {
	managers, err := e.fieldManagers()
	if err != nil {
		return nil, false, apierrors.NewInternalError(err)
	}
	manager := managers[w.subresource]
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(method); err != nil {
		return nil, false, err
	}
	stored, err := e.storedLocked(method, w.key)
	if err != nil && w.applies() && w.subresource == "" {
		obj, err := edit(manager, nil)
		if err != nil {
			return nil, false, err
		}
		answer, err := e.createLocked(w, obj)
		return answer, true, err
	}
	if err != nil {
		return nil, false, err
	}
	old, err := e.content(stored)
	if err != nil {
		return nil, false, err
	}
	obj, err := edit(manager, old)
	if err != nil {
		return nil, false, err
	}
	if err := e.validate(obj, old); err != nil {
		return nil, false, err
	}
	answer, err := e.storeLocked(w, stored, obj, old)
	return answer, false, err
}

// storeLocked stores the new state of an object. It stores nothing if nothing has changed, and the object's
// deletion if its last finalizer was removed.
func (e endpoint) storeLocked(w write, stored *version, obj, old *unstructured.Unstructured) (runtime.Object, error) {
	v, err := e.fromContent(obj, false)
	if err != nil {
		return nil, err
	}
	switch {
	case finished(obj, old):
		if !w.dryRun {
			e.changeLocked(w.key, nil)
		}
	case unchanged(obj, old):
		v = stored
	case !w.dryRun:
		e.changeLocked(w.key, v)
	}
	return e.response(v), nil
}

// deleteObject deletes an object, or marks it for deletion, and reports whether it is gone.
func (e endpoint) deleteObject(w write, options metav1.DeleteOptions) (runtime.Object, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	stored, err := e.storedLocked(http.MethodDelete, w.key)
	if err != nil {
		return nil, false, err
	}
	if err := e.checkPreconditions(stored.meta, options.Preconditions); err != nil {
		return nil, false, err
	}
	old, err := e.content(stored)
	if err != nil {
		return nil, false, err
	}
	if obj := deletion(old, options); obj != nil {
		answer, err := e.storeLocked(w, stored, obj, old)
		return answer, false, err
	}
	last := stored.copy()
	if !w.dryRun {
		e.changeLocked(stored.key(), nil)
		last = stored.copyAt(e.history.tail.rv)
	}
	return e.response(newVersion(last)), true, nil
}

// deleteCollection deletes the selected objects, and returns them as they were before.
func (e endpoint) deleteCollection(w write, selected metav1.ListOptions, options metav1.DeleteOptions) ([]runtime.Object, metav1.ListMeta, error) {
	page, err := e.page(w.key.Namespace, selected, 0)
	if err != nil {
		return nil, metav1.ListMeta{}, err
	}
	var deleted []runtime.Object
	for _, v := range page.items {
		w.key = v.key()
		if _, _, err := e.deleteObject(w, options); err != nil && !apierrors.IsNotFound(err) {
			return nil, metav1.ListMeta{}, err
		}
		deleted = append(deleted, e.response(v))
	}
	return deleted, page.meta, nil
}
