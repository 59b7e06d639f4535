// Package objectkey has the keys under which informers keep objects.
package objectkey

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Of returns the namespace and the name of obj, which may be anything that meta.Accessor understands. The
// UID is not part of the key.
func Of(obj any) (types.NamespacedName, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return types.NamespacedName{}, &failure.ObjectError{Err: err}
	}
	return types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}, nil
}

// String returns a key as "namespace/name", or the name alone if there is no namespace.
func String(key types.NamespacedName) string {
	if key.Namespace == "" {
		return key.Name
	}
	return key.Namespace + "/" + key.Name
}

// Parse is the inverse of String.
func Parse(s string) types.NamespacedName {
	if namespace, name, ok := strings.Cut(s, "/"); ok {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	return types.NamespacedName{Name: s}
}
