package cache

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
)

// KeyOf returns the namespace and the name of obj, which may be anything that
// meta.Accessor understands. It is the key under which informers keep objects;
// the UID has no part in it.
func KeyOf(obj any) (types.NamespacedName, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return types.NamespacedName{}, &ObjectError{Err: err}
	}
	return types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}, nil
}

// keyString is the joined form of key: "namespace/name", or the name alone of
// an object without a namespace.
func keyString(key types.NamespacedName) string {
	if key.Namespace == "" {
		return key.Name
	}
	return key.Namespace + "/" + key.Name
}

// parseKey is the inverse of keyString.
func parseKey(s string) types.NamespacedName {
	if namespace, name, ok := strings.Cut(s, "/"); ok {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	return types.NamespacedName{Name: s}
}
