package cache

import (
	"fmt"
	"reflect"

	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// typedIndexer adds the typed methods to an indexer whose objects are of type T. Its methods are written
// out for the same reason as typedInformer's.
type typedIndexer[T any] struct{ untyped Indexer }

// readerOf returns a reader of an indexer's store, if the store's objects are of the given type.
func readerOf(x Indexer, objects reflect.Type) (reader.Reader, bool) {
	i, ok := x.(*indexer)
	if !ok {
		return nil, false
	}
	r := i.store.Reader()
	return r, r.ObjectType() == objects
}

func (x *typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	if r, ok := readerOf(x.untyped, reflect.TypeFor[T]()); ok {
		values, err := valuesOf(x.untyped, indexName, obj)
		if err != nil {
			return nil, err
		}
		return byIndex[T](r, indexName, values...)
	}
	found, err := x.untyped.Index(indexName, obj)
	return typedList[T](found), err
}

func (x *typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	if r, ok := readerOf(x.untyped, reflect.TypeFor[T]()); ok {
		return byIndex[T](r, indexName, indexedValue)
	}
	found, err := x.untyped.ByIndex(indexName, indexedValue)
	return typedList[T](found), err
}

func byIndex[T any](r reader.Reader, indexName string, values ...string) ([]T, error) {
	found, err := reader.ByIndex[T](r, indexName, values...)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	return notNil(found), nil
}

// typedList converts a list to its type. It returns nil for nil.
func typedList[T any](list []any) []T {
	if list == nil {
		return nil
	}
	typed := make([]T, len(list))
	for i, obj := range list {
		typed[i] = obj.(T)
	}
	return typed
}

// AddTypedIndexers adds all of the indexers, or none if one of them conflicts.
func (x *typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return x.untyped.AddIndexers(untypedIndexers(newIndexers))
}

// untypedIndexers returns typed indexers as functions of any object. They fail for objects that are not of
// type T.
func untypedIndexers[T any](typed TypedIndexers[T]) Indexers {
	untyped := make(Indexers, len(typed))
	for name, fn := range typed {
		if fn == nil {
			untyped[name] = nil
			continue
		}
		untyped[name] = func(obj any) ([]string, error) {
			t, ok := obj.(T)
			if !ok {
				return nil, fmt.Errorf("index %q: %w", name, typeError("object", obj, reflect.TypeFor[T]()))
			}
			return fn(t)
		}
	}
	return untyped
}

func (x *typedIndexer[T]) Add(obj any) error { return x.untyped.Add(obj) }

func (x *typedIndexer[T]) Update(obj any) error { return x.untyped.Update(obj) }

func (x *typedIndexer[T]) Delete(obj any) error { return x.untyped.Delete(obj) }

func (x *typedIndexer[T]) List() []any { return x.untyped.List() }

func (x *typedIndexer[T]) ListKeys() []string { return x.untyped.ListKeys() }

func (x *typedIndexer[T]) Get(obj any) (item any, exists bool, err error) { return x.untyped.Get(obj) }

func (x *typedIndexer[T]) GetByKey(key string) (item any, exists bool, err error) {
	return x.untyped.GetByKey(key)
}

func (x *typedIndexer[T]) Replace(list []any, resourceVersion string) error {
	return x.untyped.Replace(list, resourceVersion)
}

func (x *typedIndexer[T]) Resync() error { return x.untyped.Resync() }

func (x *typedIndexer[T]) Index(indexName string, obj any) ([]any, error) {
	return x.untyped.Index(indexName, obj)
}

func (x *typedIndexer[T]) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return x.untyped.IndexKeys(indexName, indexedValue)
}

func (x *typedIndexer[T]) ListIndexFuncValues(indexName string) []string {
	return x.untyped.ListIndexFuncValues(indexName)
}

func (x *typedIndexer[T]) ByIndex(indexName, indexedValue string) ([]any, error) {
	return x.untyped.ByIndex(indexName, indexedValue)
}

func (x *typedIndexer[T]) GetIndexers() Indexers { return x.untyped.GetIndexers() }

func (x *typedIndexer[T]) AddIndexers(newIndexers Indexers) error {
	return x.untyped.AddIndexers(newIndexers)
}

// CoreReader returns a reader of the store below, if there is one with objects of type T.
func (x *typedIndexer[T]) CoreReader() (reader.Reader, bool) {
	return readerOf(x.untyped, reflect.TypeFor[T]())
}

// valuesOf returns the values that obj has in an index of an indexer of this package.
func valuesOf(x Indexer, indexName string, obj any) ([]string, error) {
	return x.(*indexer).valuesOf(indexName, obj)
}
