package cachetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// write is the part of a client's request about the object that it changes,
// besides its body.
type write struct {
	key         types.NamespacedName
	subresource string
	// manager is who owns the fields that are set.
	manager string
	dryRun  bool
	force   bool
	// strict refuses fields that the type does not have.
	strict bool
}

// strategy returns the rules for the objects of the endpoint.
func (e typedEndpoint[T]) strategy() strategy {
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	return strategy{kind: e.kind, resource: e.api.resource, status: e.hasStatus(), builtIn: e.builtIn()}
}

// hasStatus says whether status is a subresource.
func (e typedEndpoint[T]) hasStatus() bool {
	return !e.options.NoStatus && hasField(reflect.TypeFor[T](), statusSubresource)
}

// hasField says whether objects of a type can have a field: of a pointer to a
// struct, one of that JSON name.
func hasField(pointer reflect.Type, name string) bool {
	if pointer.Implements(reflect.TypeFor[runtime.Unstructured]()) || pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return true
	}
	for i := range pointer.Elem().NumField() {
		if tag, _, _ := strings.Cut(pointer.Elem().Field(i).Tag.Get("json"), ","); tag == name {
			return true
		}
	}
	return false
}

// builtIn says whether a type is one of those that every Kubernetes has.
func (e typedEndpoint[T]) builtIn() bool {
	kind := reflect.TypeFor[T]()
	return kind.Kind() == reflect.Pointer && strings.HasPrefix(kind.Elem().PkgPath(), "k8s.io/api/")
}

func (e typedEndpoint[T]) fieldManager(s strategy, subresource string) (fieldManager, error) {
	converter := e.options.TypeConverter
	if converter == nil {
		var err error
		if converter, err = newTypeConverter(reflect.TypeFor[T](), s.kind); err != nil {
			return fieldManager{}, err
		}
	}
	return newFieldManager(s, converter, subresource)
}

// content returns an object as the values of its JSON, the form in which writes
// are worked out.
func (e typedEndpoint[T]) content(v *version[T]) (*unstructured.Unstructured, error) {
	text, err := e.encoded(v.copy(), format{}, nil)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(text, &u.Object); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return u, nil
}

// fromContent is the reverse of content. What the type has no fields for is
// dropped, or if strict an error.
func (e typedEndpoint[T]) fromContent(u *unstructured.Unstructured, strict bool) (*version[T], error) {
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return e.decode(text, strict)
}

// normal returns content as it is after it was stored.
func (e typedEndpoint[T]) normal(u *unstructured.Unstructured, strict bool) (*unstructured.Unstructured, error) {
	v, err := e.fromContent(u, strict)
	if err != nil {
		return nil, err
	}
	return e.content(v)
}

// read returns the object of a body, which must be the one that the request
// names.
func (e typedEndpoint[T]) read(w write, b body) (*unstructured.Unstructured, error) {
	v, err := e.decodeBody(b, w.strict)
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

// check refuses an object that is not the one that the request names.
func (w write) check(obj metav1.Object) error {
	if got := obj.GetName(); w.key.Name != "" && got != w.key.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, w.key.Name))
	}
	if obj.GetNamespace() != w.key.Namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// create stores a new object.
func (e typedEndpoint[T]) create(w write, b body) (runtime.Object, error) {
	obj, err := e.read(w, b)
	if err != nil {
		return nil, err
	}
	s := e.strategy()
	manager, err := e.fieldManager(s, "")
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	wipe(obj)
	if obj, err = manager.update(nil, obj, w.manager); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	if err := e.api.unavailableLocked(http.MethodPost); err != nil {
		return nil, err
	}
	return e.createLocked(s, w, obj)
}

// createLocked stores an object that is new, with the API locked.
func (e typedEndpoint[T]) createLocked(s strategy, w write, obj *unstructured.Unstructured) (runtime.Object, error) {
	if obj.GetResourceVersion() != "" {
		// A real server calls this an error of its own, too.
		return nil, statusError(http.StatusInternalServerError, "", "resourceVersion should not be set on objects to be created")
	}
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(e.api.generateNameLocked(obj.GetGenerateName()))
	}
	if err := s.create(obj, e.api.nextUIDLocked()); err != nil {
		return nil, err
	}
	v, err := e.fromContent(obj, false)
	if err != nil {
		return nil, err
	}
	if e.api.objects[v.key()] != nil {
		return nil, apierrors.NewAlreadyExists(s.resource, v.meta.GetName())
	}
	if !w.dryRun {
		e.api.changeLocked(v.key(), v)
	}
	return e.answer(v), nil
}

// update replaces an object.
func (e typedEndpoint[T]) update(w write, b body) (runtime.Object, error) {
	obj, err := e.read(w, b)
	if err != nil {
		return nil, err
	}
	s := e.strategy()
	manager, err := e.fieldManager(s, w.subresource)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	answer, _, err := e.change(s, w, http.MethodPut, func(old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if old == nil {
			return nil, apierrors.NewNotFound(s.resource, w.key.Name)
		}
		if err := s.checkUID(obj, old); err != nil {
			return nil, err
		}
		return manager.update(old, obj, w.manager)
	})
	return answer, err
}

// patch changes an object, or creates one by applying it.
func (e typedEndpoint[T]) patch(w write, p patch) (runtime.Object, bool, error) {
	s := e.strategy()
	manager, err := e.fieldManager(s, w.subresource)
	if err != nil {
		return nil, false, apierrors.NewInternalError(err)
	}
	if p.kind == types.ApplyYAMLPatchType {
		return e.apply(s, w, p, manager)
	}
	return e.change(s, w, http.MethodPatch, func(old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if old == nil {
			return nil, apierrors.NewNotFound(s.resource, w.key.Name)
		}
		obj, err := p.to(old, e.example())
		if err != nil {
			return nil, err
		}
		if obj, err = e.normal(obj, w.strict); err != nil {
			return nil, invalidPatch(p.text, err)
		}
		if err := w.check(obj); err != nil {
			return nil, err
		}
		return manager.update(old, obj, w.manager)
	})
}

func (e typedEndpoint[T]) apply(s strategy, w write, p patch, manager fieldManager) (runtime.Object, bool, error) {
	applied, err := p.applied()
	if err != nil {
		return nil, false, err
	}
	return e.change(s, w, http.MethodPatch, func(old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if old == nil && w.subresource != "" {
			return nil, apierrors.NewNotFound(s.resource, w.key.Name)
		}
		obj, err := manager.apply(old, applied.DeepCopy(), w.manager, w.force)
		if err != nil {
			return nil, err
		}
		if obj, err = e.normal(obj, w.strict); err != nil {
			return nil, invalidPatch(p.text, err)
		}
		if obj.GetNamespace() == "" {
			obj.SetNamespace(w.key.Namespace)
		}
		return obj, w.check(obj)
	})
}

// change replaces an object by what change makes of it, and says whether it is
// new.
func (e typedEndpoint[T]) change(s strategy, w write, method string, change func(old *unstructured.Unstructured) (*unstructured.Unstructured, error)) (runtime.Object, bool, error) {
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	if err := e.api.unavailableLocked(method); err != nil {
		return nil, false, err
	}
	stored := e.api.objects[w.key]
	if stored == nil {
		obj, err := change(nil)
		if err != nil {
			return nil, false, err
		}
		answer, err := e.createLocked(s, w, obj)
		return answer, true, err
	}
	old, err := e.content(stored)
	if err != nil {
		return nil, false, err
	}
	obj, err := change(old)
	if err != nil {
		return nil, false, err
	}
	if err := s.update(obj, old, w.subresource); err != nil {
		return nil, false, err
	}
	answer, err := e.storeLocked(w, stored, obj, old)
	return answer, false, err
}

// storeLocked stores the new state of an object: none if nothing has changed,
// and its deletion if its last finalizer has gone.
func (e typedEndpoint[T]) storeLocked(w write, stored *version[T], obj, old *unstructured.Unstructured) (runtime.Object, error) {
	v, err := e.fromContent(obj, false)
	if err != nil {
		return nil, err
	}
	switch {
	case finished(obj, old):
		if !w.dryRun {
			e.api.changeLocked(w.key, nil)
		}
	case unchanged(obj, old):
		v = stored
	case !w.dryRun:
		e.api.changeLocked(w.key, v)
	}
	return e.answer(v), nil
}

// delete deletes an object, or marks it for deletion, and says whether it is
// gone.
func (e typedEndpoint[T]) delete(w write, options metav1.DeleteOptions) (runtime.Object, bool, error) {
	s := e.strategy()
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	if err := e.api.unavailableLocked(http.MethodDelete); err != nil {
		return nil, false, err
	}
	stored := e.api.objects[w.key]
	if stored == nil {
		return nil, false, apierrors.NewNotFound(s.resource, w.key.Name)
	}
	if err := s.checkPreconditions(stored.meta, options.Preconditions); err != nil {
		return nil, false, err
	}
	return e.deleteLocked(s, w, stored, options)
}

func (e typedEndpoint[T]) deleteLocked(s strategy, w write, stored *version[T], options metav1.DeleteOptions) (runtime.Object, bool, error) {
	old, err := e.content(stored)
	if err != nil {
		return nil, false, err
	}
	if obj := s.deletion(old, options); obj != nil {
		answer, err := e.storeLocked(w, stored, obj, old)
		return answer, false, err
	}
	last := stored.copy()
	if !w.dryRun {
		e.api.changeLocked(stored.key(), nil)
		last = stored.copyAt(e.api.history.tail.rv)
	}
	return e.answer(newVersion(last)), true, nil
}

// deleteCollection deletes the objects that the options select, and returns
// them as they were before.
func (e typedEndpoint[T]) deleteCollection(w write, selected metav1.ListOptions, options metav1.DeleteOptions) ([]runtime.Object, metav1.ListMeta, error) {
	page, err := e.api.page(w.key.Namespace, selected, 0)
	if err != nil {
		return nil, metav1.ListMeta{}, err
	}
	var deleted []runtime.Object
	for _, v := range page.items {
		w.key = v.key()
		if _, _, err := e.delete(w, options); err != nil && !apierrors.IsNotFound(err) {
			return nil, metav1.ListMeta{}, err
		}
		deleted = append(deleted, e.answer(v))
	}
	return deleted, page.meta, nil
}

// answer returns a copy of an object as it is sent to clients.
func (e typedEndpoint[T]) answer(v *version[T]) runtime.Object {
	obj := v.copy()
	e.setKind(obj, e.kind)
	return obj
}

// example returns the struct whose tags strategic merges go by.
func (e typedEndpoint[T]) example() any {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface()
}

// patchTypes returns the types of patches for the objects of the endpoint.
func (e typedEndpoint[T]) patchTypes() []string { return slices.Clone(patchTypes(e.builtIn())) }
