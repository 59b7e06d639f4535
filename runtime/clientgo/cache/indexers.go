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

// GetIndexers returns a copy of the indexers, with the functions that they were
// registered with.
func (x *indexer[T]) GetIndexers() Indexers {
	indexers := Indexers{}
	for _, index := range x.store.Indexes() {
		indexers[index.Name] = x.indexFunc(index.Name)
	}
	return indexers
}

// AddIndexers adds all of the indexers, or on a conflict none.
func (x *indexer[T]) AddIndexers(newIndexers Indexers) error {
	indexes := make([]core.Index[T], 0, len(newIndexers))
	for name, fn := range newIndexers {
		indexes = append(indexes, x.coreIndex(name, fn))
	}
	return x.addIndexes(newIndexers, indexes)
}

// AddTypedIndexers adds all of the indexers, or on a conflict none. Their
// functions are called without conversion to untyped objects.
func (x *indexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	funcs := make(Indexers, len(newIndexers))
	indexes := make([]core.Index[T], 0, len(newIndexers))
	for name, fn := range newIndexers {
		index := core.Index[T]{Name: name, Values: fn}
		funcs[name] = indexFunc(index)
		indexes = append(indexes, index)
	}
	return x.addIndexes(funcs, indexes)
}

func (x *indexer[T]) addIndexes(funcs Indexers, indexes []core.Index[T]) error {
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
func (x *indexer[T]) indexFunc(name string) IndexFunc {
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
			x.funcs[name] = indexFunc(index)
		}
	}
	return x.funcs[name]
}

// indexFunc returns a typed index as a function of any object. It fails for
// those that are not a T, other than in the index by namespace, which client-go
// asks with a bare ObjectMeta.
func indexFunc[T any](index core.Index[T]) IndexFunc {
	return func(obj any) ([]string, error) {
		t, ok := obj.(T)
		switch {
		case ok && index.Value != nil:
			return []string{index.Value(t)}, nil
		case ok:
			return index.Values(t)
		case index.Name == core.NamespaceIndexName:
			return MetaNamespaceIndexFunc(obj)
		}
		return nil, fmt.Errorf("index %q: %w", index.Name, typeError[T]("object", obj))
	}
}

// coreIndex returns an index over a client-go function. The index by namespace
// becomes the core's own, which reads the namespace off the key, if that has it.
func (x *indexer[T]) coreIndex(name string, fn IndexFunc) core.Index[T] {
	if name == core.NamespaceIndexName && !x.otherKeys && isOneOf(fn, cache.MetaNamespaceIndexFunc, MetaNamespaceIndexFunc) {
		return core.NamespaceIndex[T]()
	}
	index := core.Index[T]{Name: name}
	if fn != nil {
		index.Values = func(obj T) ([]string, error) { return fn(obj) }
	}
	return index
}

// isOneOf compares code pointers: functions of Go are not comparable, and these are
// plain functions.
func isOneOf[F any](fn F, others ...F) bool {
	code := func(fn F) uintptr { return reflect.ValueOf(fn).Pointer() }
	return slices.ContainsFunc(others, func(other F) bool { return code(other) == code(fn) })
}
