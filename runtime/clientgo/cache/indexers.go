package cache

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// GetIndexers returns a copy of the indexers, with the functions that AddIndexers got.
func (x *indexer) GetIndexers() Indexers {
	indexers := Indexers{}
	for _, index := range x.store.Indexes() {
		indexers[index.Name] = x.indexFunc(index.Name)
	}
	return indexers
}

// AddIndexers adds all of the indexers, or none if one of them conflicts.
func (x *indexer) AddIndexers(newIndexers Indexers) error {
	indexes := make([]core.Index[any], 0, len(newIndexers))
	for name, fn := range newIndexers {
		indexes = append(indexes, x.coreIndex(name, fn))
	}
	return x.addIndexes(newIndexers, indexes)
}

func (x *indexer) addIndexes(funcs Indexers, indexes []core.Index[any]) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	existing := sets.New[string]()
	for _, index := range x.store.Indexes() {
		existing.Insert(index.Name)
	}
	if conflicts := existing.Intersection(sets.KeySet(funcs)); len(conflicts) > 0 {
		return fmt.Errorf("indexer conflict: %v", conflicts)
	}
	if err := x.store.AddIndexes(indexes...); err != nil {
		return err
	}
	maps.Copy(x.funcs, funcs)
	return nil
}

// indexFunc returns the function of an index, or nil if there is no such index.
func (x *indexer) indexFunc(name string) IndexFunc {
	x.mu.RLock()
	fn := x.funcs[name]
	x.mu.RUnlock()
	if fn != nil {
		return fn
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, index := range x.store.Indexes() {
		// It may have been registered here in the meantime.
		if index.Name == name && x.funcs[name] == nil {
			x.funcs[name] = x.indexFuncOf(index)
		}
	}
	return x.funcs[name]
}

// indexFuncOf returns an index as a function of any object. It fails for objects that are not of the
// store's type. The index by namespace does not, since client-go calls it with a bare ObjectMeta.
func (x *indexer) indexFuncOf(index core.Index[any]) IndexFunc {
	return func(obj any) ([]string, error) {
		switch ok := isA(obj, x.objectType()); {
		case ok && index.Value != nil:
			return []string{index.Value(obj)}, nil
		case ok:
			return index.Values(obj)
		case index.Name == cache.NamespaceIndex:
			return MetaNamespaceIndexFunc(obj)
		}
		return nil, fmt.Errorf("index %q: %w", index.Name, typeError("object", obj, x.objectType()))
	}
}

// coreIndex returns an index over a client-go function. If the keys have the namespace, the index by
// namespace becomes the core's own, which reads the keys.
func (x *indexer) coreIndex(name string, fn IndexFunc) core.Index[any] {
	if name == cache.NamespaceIndex && !x.otherKeys && isOneOf(fn, cache.MetaNamespaceIndexFunc) {
		return core.NamespaceIndex[any]()
	}
	index := core.Index[any]{Name: name}
	if fn != nil {
		index.Values = fn
	}
	return index
}

// isOneOf reports whether fn is one of several plain functions. It compares code pointers, since functions
// of Go are not comparable.
func isOneOf[F any](fn F, others ...F) bool {
	code := func(fn F) uintptr { return reflect.ValueOf(fn).Pointer() }
	return slices.ContainsFunc(others, func(other F) bool { return code(other) == code(fn) })
}
