package cachetest

import (
	"encoding/json"
	"net/http"
	"reflect"
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

// fieldManager records which manager has set which fields, for server-side apply.
type fieldManager struct {
	kind    schema.GroupVersionKind
	manager *managedfields.FieldManager
}

// newFieldManagers returns the managers for writes to the resource itself, under the key "", and to its
// status. They see only the fields that a write may change.
func newFieldManagers(goType reflect.Type, kind schema.GroupVersionKind, converter managedfields.TypeConverter) (map[string]fieldManager, error) {
	if converter == nil {
		var err error
		if converter, err = newTypeConverter(goType, kind); err != nil {
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

// update notes in obj the fields that a manager changed in live. live is nil for a new object.
func (f fieldManager) update(live, obj *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	return f.content(f.manager.UpdateNoErrors(f.orEmpty(live), obj, manager))
}

// apply merges the fields that a manager applies into live. live is nil for a new object.
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

// content returns a merged object as an Unstructured: a type converter may return a typed object.
func (f fieldManager) content(obj runtime.Object) (*unstructured.Unstructured, error) {
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: values}
	u.SetGroupVersionKind(f.kind)
	return u, nil
}

// sameVersion replaces the conversions of a server whose versions of a resource have the same fields. Its
// other methods are not called.
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

// managerOf returns the name of a request's manager: the client's fieldManager, or the beginning of its
// user agent.
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

// deepest limits how deeply fields may be nested. Deeper fields, such as in a type that contains itself,
// may have any form.
const deepest = 12

// openAPI is a schema in the JSON of OpenAPI.
type openAPI map[string]any

// newTypeConverter returns the knowledge about a type that server-side apply needs: its fields and, from
// the tags for strategic merges, which lists are sets or maps by a key. An unstructured type has no known
// fields but metadata.
func newTypeConverter(goType reflect.Type, kind schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	root, properties := anything(), map[string]openAPI{}
	if t := elem(goType); t.Kind() == reflect.Struct && !goType.Implements(reflect.TypeFor[runtime.Unstructured]()) {
		root = openAPI{"type": "object"}
		addFields(properties, t, deepest)
	}
	properties["apiVersion"], properties["kind"] = openAPI{"type": "string"}, openAPI{"type": "string"}
	properties["metadata"] = schemaOf(reflect.TypeFor[metav1.ObjectMeta](), deepest)
	root["properties"] = properties
	root["x-kubernetes-group-version-kind"] = []metav1.GroupVersionKind{metav1.GroupVersionKind(kind)}
	text, err := json.Marshal(map[string]openAPI{"object": root})
	if err != nil {
		return nil, err
	}
	return withSchemas(text, managedfields.NewTypeConverter)
}

// withSchemas calls a function with decoded schemas. Their type is inferred, so that this module does not
// require their module, which has no versions.
func withSchemas[S any](text []byte, convert func(map[string]*S, bool) (managedfields.TypeConverter, error)) (managedfields.TypeConverter, error) {
	schemas := map[string]*S{}
	if err := json.Unmarshal(text, &schemas); err != nil {
		return nil, err
	}
	return convert(schemas, true)
}

// anything is the schema of a value of any form.
func anything() openAPI {
	return openAPI{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
}

// scalar is the schema of a value without fields, such as a time, a quantity,
// or a number that may be a string.
func scalar() openAPI { return openAPI{"x-kubernetes-int-or-string": true} }

// schemaOf returns the schema of a Go type.
func schemaOf(t reflect.Type, depth int) openAPI {
	t = elem(t)
	kind := t.Kind()
	switch isList := kind == reflect.Slice || kind == reflect.Array; {
	case encodesItself(t) || isList && t.Elem().Kind() == reflect.Uint8:
		return scalar()
	case depth == 0 || kind == reflect.Interface:
		return anything()
	case kind == reflect.Struct:
		properties := map[string]openAPI{}
		addFields(properties, t, depth)
		return openAPI{"type": "object", "properties": properties}
	case kind == reflect.Map:
		return openAPI{"type": "object", "additionalProperties": schemaOf(t.Elem(), depth-1)}
	case isList:
		return openAPI{"type": "array", "items": schemaOf(t.Elem(), depth-1), "x-kubernetes-list-type": "atomic"}
	case kind == reflect.Bool:
		return openAPI{"type": "boolean"}
	case kind == reflect.String:
		return openAPI{"type": "string"}
	case kind == reflect.Float32 || kind == reflect.Float64:
		return openAPI{"type": "number"}
	default:
		return openAPI{"type": "integer"}
	}
}

// addFields adds the fields of a struct and of its inline structs.
func addFields(properties map[string]openAPI, t reflect.Type, depth int) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			if inline := elem(field.Type); inline.Kind() == reflect.Struct {
				addFields(properties, inline, depth)
			}
		default:
			if name == "" {
				name = field.Name
			}
			properties[name] = schemaOf(field.Type, depth-1)
			if properties[name]["type"] == "array" && strings.Contains(field.Tag.Get("patchStrategy"), "merge") {
				addListType(properties[name], field.Tag.Get("patchMergeKey"))
			}
		}
	}
}

// addListType makes a list a map by a key, or a set if that is empty.
func addListType(list openAPI, key string) {
	list["x-kubernetes-list-type"] = "set"
	if key != "" {
		list["x-kubernetes-list-type"] = "map"
		list["x-kubernetes-list-map-keys"] = []string{key}
	}
}

// elem returns the type behind pointers.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// encodesItself reports whether the JSON of a type differs from its fields.
func encodesItself(t reflect.Type) bool {
	marshaler := reflect.TypeFor[json.Marshaler]()
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}
