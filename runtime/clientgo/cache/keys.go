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

// typeError says that an object is not a T.
func typeError[T any](what string, obj any) error {
	return fmt.Errorf("%s of type %T: not a %v", what, obj, reflect.TypeFor[T]())
}
