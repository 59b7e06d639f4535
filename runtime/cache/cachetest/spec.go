package cachetest

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// sameSpec says that two objects differ at most in metadata and status, so that
// their generation is the same.
func sameSpec(x, y any) bool {
	if u, ok := x.(runtime.Unstructured); ok {
		v, ok := y.(runtime.Unstructured)
		return ok && equality.Semantic.DeepEqual(specOf(u), specOf(v))
	}
	a, b := reflect.Indirect(reflect.ValueOf(x)), reflect.Indirect(reflect.ValueOf(y))
	if a.Kind() != reflect.Struct || a.Type() != b.Type() {
		return equality.Semantic.DeepEqual(x, y)
	}
	for i := range a.NumField() {
		field := a.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		meta := field.Type == reflect.TypeFor[metav1.TypeMeta]() || field.Type == reflect.TypeFor[metav1.ObjectMeta]()
		if meta || name == statusSubresource || !field.IsExported() {
			continue
		}
		if !equality.Semantic.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// specOf returns the fields of an object other than metadata and status.
func specOf(u runtime.Unstructured) map[string]any {
	spec := map[string]any{}
	for name, value := range u.UnstructuredContent() {
		if name != "metadata" && name != statusSubresource {
			spec[name] = value
		}
	}
	return spec
}
