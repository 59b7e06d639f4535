package cache

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// informerName returns the name of an informer in logs, errors and statuses. It is the
// best one that is known when the informer is made. Only the informers of Streaming find another one,
// by their first request:
//
//	the description        SharedIndexInformerOptions.ObjectDescription
//	the resource           of the Identifier, "widgets.v1alpha1.apps.example.com", "pods.v1"
//	the kind               of the example object, "Widget.v1alpha1.apps.example.com", "Pod.v1"
//	the example's Go type  with its import path, "k8s.io/api/core/v1.Pod"
//
// A ListWatch has no name of what it lists, and the objects and lists that typed clients
// return have no kind: it is removed when they are decoded.
func informerName(example runtime.Object, description string, identifier InformerNameAndResource) string {
	resource := identifier.GroupVersionResource()
	switch {
	case description != "":
		return description
	case resource.Resource != "":
		return dotted(resource.Resource, resource.Version, resource.Group)
	case nothing.Is(example):
		return typeName(reflect.TypeOf(example))
	}
	if kind := example.GetObjectKind().GroupVersionKind(); kind.Kind != "" {
		return dotted(kind.Kind, kind.Version, kind.Group)
	}
	return typeName(reflect.TypeOf(example))
}

// dotted joins the parts of a name as kubectl does, without those that are empty.
func dotted(name, version, group string) string {
	return decoding.Collection{Group: group, Version: version, Resource: name}.String()
}

// typeName returns the name of a type or of what it points to, with the import path,
// since many APIs have packages of the same name.
func typeName(t reflect.Type) string {
	if t == nil {
		return "objects of any type"
	}
	named := t
	if t.Kind() == reflect.Pointer {
		named = t.Elem()
	}
	if named.Name() == "" || named.PkgPath() == "" {
		return fmt.Sprint(t)
	}
	return named.PkgPath() + "." + named.Name()
}
