package factory

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// Lookup returns what the stores of the factory have under a key, by the names of their
// informers as Status has them. It is for debugging: those who know the type of an object
// read it with a lister. Objects belong to the stores and must not be mutated.
func (r *registry) Lookup(key types.NamespacedName) map[string]any {
	found := map[string]any{}
	text := cache.NewObjectName(key.Namespace, key.Name).String()
	for of, m := range r.all() {
		obj, exists, err := m.informer.GetStore().GetByKey(text)
		if err == nil && exists {
			found[m.name(of.String())] = obj
		}
	}
	return found
}

// name is that of the status.
func (m *member) name(otherwise string) string {
	if status, ok := clientgocache.StatusOf(m.informer); ok {
		return status.Name
	}
	return otherwise
}
