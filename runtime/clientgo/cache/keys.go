package cache

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// splitKey is the core's form of a client-go key. Every string has exactly one.
func splitKey(key string) types.NamespacedName {
	if i := strings.IndexByte(key, '/'); i > 0 {
		return types.NamespacedName{Namespace: key[:i], Name: key[i+1:]}
	}
	return types.NamespacedName{Name: key}
}

// joinKey is the inverse of splitKey.
func joinKey(name types.NamespacedName) string {
	return NewObjectName(name.Namespace, name.Name).String()
}

// isA reports whether obj may be in a store of objects of a type.
func isA(obj any, objects reflect.Type) bool {
	switch objects.Kind() {
	case reflect.Interface:
		return objects.NumMethod() == 0 || obj != nil && reflect.TypeOf(obj).Implements(objects)
	default:
		return reflect.TypeOf(obj) == objects
	}
}

// typeError is the error for what is of another type.
func typeError(what string, obj any, objects reflect.Type) error {
	return fmt.Errorf("%s of type %T: not a %v", what, obj, objects)
}
