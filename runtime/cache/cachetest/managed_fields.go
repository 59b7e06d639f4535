package cachetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// fieldManager keeps account of who set which fields, for server-side apply.
type fieldManager struct {
	kind    schema.GroupVersionKind
	manager *managedfields.FieldManager
}

// newFieldManagers returns the managers for writes to the resource itself, whose
// key is empty, and to its status. They are shown only what a write may change.
func newFieldManagers(kind schema.GroupVersionKind, converter managedfields.TypeConverter) (map[string]fieldManager, error) {
	if converter == nil {
		var err error
		if converter, err = newTypeConverter(kind); err != nil {
			return nil, err
		}
	}
	same := sameVersion{}
	managers := map[string]fieldManager{}
	for _, subresource := range []string{"", statusSubresource} {
		manager, err := managedfields.NewDefaultCRDFieldManager(converter, same, same, same, kind, kind.GroupVersion(), subresource, nil)
		if err != nil {
			return nil, err
		}
		managers[subresource] = fieldManager{kind: kind, manager: manager}
	}
	return managers, nil
}

// update notes in obj what a manager changed in live, which is nil for an
// object that is new.
func (f fieldManager) update(live, obj *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	return f.content(f.manager.UpdateNoErrors(f.orEmpty(live), obj, manager))
}

// apply merges what a manager applies into live, which is nil for an object
// that is new.
func (f fieldManager) apply(live, applied *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, error) {
	merged, err := f.manager.Apply(f.orEmpty(live), applied, manager, force)
	if err != nil {
		return nil, err
	}
	return f.content(merged)
}

func (f fieldManager) orEmpty(live *unstructured.Unstructured) *unstructured.Unstructured {
	if live != nil {
		return live
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(f.kind)
	return empty
}

// content returns a merged object in the form of the others: a type converter
// may make a typed one of it.
func (f fieldManager) content(obj runtime.Object) (*unstructured.Unstructured, error) {
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: values}
	u.SetGroupVersionKind(f.kind)
	return u, nil
}

// sameVersion stands for the conversions of a server whose versions of a
// resource have the same fields. Its other methods are not called.
type sameVersion struct{ runtime.ObjectConvertor }

func (sameVersion) ConvertToVersion(in runtime.Object, version runtime.GroupVersioner) (runtime.Object, error) {
	old := in.GetObjectKind().GroupVersionKind()
	kind, ok := version.KindForGroupVersionKinds([]schema.GroupVersionKind{old})
	if !ok || kind == old {
		return in, nil
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(kind)
	return out, nil
}

func (sameVersion) Default(runtime.Object) {}

func (sameVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj, nil
}

// managerOf returns the name of the manager of a request: what the client
// calls itself, or the beginning of its user agent.
func managerOf(r *http.Request, name string) string {
	if name != "" {
		return name
	}
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	agent = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, agent)
	return agent[:min(len(agent), validation.FieldManagerMaxLength)]
}

// unchanged reports whether two states differ at most in the times at which managed
// fields were set, so that there is nothing to store.
func unchanged(obj, old *unstructured.Unstructured) bool {
	obj, old = obj.DeepCopy(), old.DeepCopy()
	for _, u := range []*unstructured.Unstructured{obj, old} {
		entries := u.GetManagedFields()
		for i := range entries {
			entries[i].Time = &metav1.Time{}
		}
		u.SetManagedFields(entries)
	}
	return equality.Semantic.DeepEqual(obj.Object, old.Object)
}

// anyFields is the schema of an object whose fields have any form, but for the lists of its metadata: the
// server of custom resources knows as much of one without a schema.
const anyFields = `{"object": {
	"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-group-version-kind": [%s],
	"properties": {
		"apiVersion": {"type": "string"}, "kind": {"type": "string"},
		"metadata": {
			"type": "object", "x-kubernetes-preserve-unknown-fields": true,
			"properties": {
				"finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
				"ownerReferences": {
					"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
					"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"]
				}
			}
		}
	}
}}`

// newTypeConverter returns what server-side apply knows of a kind if nobody says more.
func newTypeConverter(kind schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	names, err := json.Marshal(metav1.GroupVersionKind(kind))
	if err != nil {
		return nil, err
	}
	return withSchemas(fmt.Appendf(nil, anyFields, names), managedfields.NewTypeConverter)
}

// withSchemas calls a function with decoded schemas. Their type is inferred, so
// that this module does not require theirs, which has no versions.
func withSchemas[S any](text []byte, convert func(map[string]*S, bool) (managedfields.TypeConverter, error)) (managedfields.TypeConverter, error) {
	schemas := map[string]*S{}
	if err := json.Unmarshal(text, &schemas); err != nil {
		return nil, err
	}
	return convert(schemas, true)
}
