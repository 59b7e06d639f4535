package cache

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// splitKey returns the core's form of a client-go key. Every string has exactly one.
func splitKey(key string) types.NamespacedName {
	if i := strings.IndexByte(key, '/'); i > 0 {
		return types.NamespacedName{Namespace: key[:i], Name: key[i+1:]}
	}
	return types.NamespacedName{Name: key}
}

// splitKeyFunc returns a key function in the core's form, and whether the given one is a standard one. The
// keys of standard functions are made of the namespace and the name, so that no string is made of them.
func splitKeyFunc(keyFunc KeyFunc) (_ func(any) (types.NamespacedName, error), standard bool) {
	split := func(obj any) (types.NamespacedName, error) {
		key, err := keyFunc(obj)
		return splitKey(key), err
	}
	if !isOneOf(keyFunc, cache.MetaNamespaceKeyFunc, cache.DeletionHandlingMetaNamespaceKeyFunc) {
		return split, false
	}
	return func(obj any) (types.NamespacedName, error) {
		if m, ok := obj.(metav1.Object); ok {
			name := types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}
			if isSplit(name) {
				return name, nil
			}
		}
		return split(obj)
	}, true
}

// isSplit reports whether splitKey would return name for its joined form.
func isSplit(name types.NamespacedName) bool {
	if name.Namespace == "" {
		return strings.IndexByte(name.Name, '/') <= 0
	}
	return strings.IndexByte(name.Namespace, '/') < 0
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

// typeError returns the error for an object of another type.
func typeError(what string, obj any, objects reflect.Type) error {
	return fmt.Errorf("%s of type %T: not a %v", what, obj, objects)
}
