package cachetest

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// deepest limits how many fields may be inside of each other; what is deeper, such
// as in a type that holds itself, is of any form.
const deepest = 12

// newTypeConverter returns what server-side apply has to know of a type: its
// fields, and from the tags for strategic merges, which lists are sets or maps
// by a key. An unstructured type has no known fields but metadata.
func newTypeConverter(pointer reflect.Type, kind schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	root := anything()
	if pointer.Kind() == reflect.Pointer && !pointer.Implements(reflect.TypeFor[runtime.Unstructured]()) {
		root = schemaOf(pointer.Elem(), deepest)
	}
	if root.Properties == nil {
		root.Properties = map[string]spec.Schema{}
	}
	text := *spec.StringProperty()
	root.Properties["apiVersion"], root.Properties["kind"] = text, text
	root.Properties["metadata"] = schemaOf(reflect.TypeFor[metav1.ObjectMeta](), deepest)
	root.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group": kind.Group, "version": kind.Version, "kind": kind.Kind,
	}})
	return managedfields.NewTypeConverter(map[string]*spec.Schema{"object": &root}, true)
}

// anything is the schema of a value of any form.
func anything() spec.Schema {
	s := spec.Schema{}
	s.Type = spec.StringOrArray{"object"}
	s.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return s
}

// schemaOf returns the schema of a Go type.
func schemaOf(t reflect.Type, depth int) spec.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case encodesItself(t):
		return scalar()
	case depth == 0:
		return anything()
	}
	s := spec.Schema{}
	switch t.Kind() {
	case reflect.Struct:
		s.Type = spec.StringOrArray{"object"}
		s.Properties = map[string]spec.Schema{}
		addFields(s.Properties, t, depth)
	case reflect.Map:
		values := schemaOf(t.Elem(), depth-1)
		s.Type = spec.StringOrArray{"object"}
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &values}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return scalar()
		}
		items := schemaOf(t.Elem(), depth-1)
		s.Type = spec.StringOrArray{"array"}
		s.Items = &spec.SchemaOrArray{Schema: &items}
		s.AddExtension("x-kubernetes-list-type", "atomic")
	case reflect.Bool:
		s.Type = spec.StringOrArray{"boolean"}
	case reflect.String:
		s.Type = spec.StringOrArray{"string"}
	case reflect.Interface:
		return anything()
	case reflect.Float32, reflect.Float64:
		s.Type = spec.StringOrArray{"number"}
	default:
		s.Type = spec.StringOrArray{"integer"}
	}
	return s
}

// addFields adds the fields of a struct, and those of structs that are inline.
func addFields(properties map[string]spec.Schema, t reflect.Type, depth int) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			inline := field.Type
			for inline.Kind() == reflect.Pointer {
				inline = inline.Elem()
			}
			if inline.Kind() == reflect.Struct {
				addFields(properties, inline, depth)
			}
		default:
			if name == "" {
				name = field.Name
			}
			s := schemaOf(field.Type, depth-1)
			if s.Type.Contains("array") && strings.Contains(field.Tag.Get("patchStrategy"), "merge") {
				addListType(&s, field.Tag.Get("patchMergeKey"))
			}
			properties[name] = s
		}
	}
}

// addListType makes a list a map by a key, or a set if that is empty.
func addListType(list *spec.Schema, key string) {
	if key == "" {
		list.AddExtension("x-kubernetes-list-type", "set")
		return
	}
	list.AddExtension("x-kubernetes-list-type", "map")
	list.AddExtension("x-kubernetes-list-map-keys", []any{key})
}

// scalar is the schema of a value without fields, such as a time, a quantity,
// or a number that may be a string.
func scalar() spec.Schema {
	s := spec.Schema{}
	s.AddExtension("x-kubernetes-int-or-string", true)
	return s
}

// encodesItself says that the fields of a type are not those of its JSON.
func encodesItself(t reflect.Type) bool {
	marshaler := reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}
