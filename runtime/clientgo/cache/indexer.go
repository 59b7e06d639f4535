package cache

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// UntypedIndexer returns a typed store as a client-go Indexer. What it returns
// also implements TransactionStore, and TypedIndexer[T]. Indexes of the store
// are indexes of the indexer, and the other way round.
//
// Objects written through it must be of type T. Objects that are only looked up
// by, as in Get or Index, may be anything with a namespace and a name.
func UntypedIndexer[T any](store *core.Store[T]) Indexer { return newIndexer(store) }

// TypedIndexerOf returns a typed store as a client-go TypedIndexer. It is what
// UntypedIndexer returns, under its other type.
func TypedIndexerOf[T any](store *core.Store[T]) TypedIndexer[T] { return newIndexer(store) }

// indexer is a Store[T] under client-go's interfaces.
type indexer[T any] struct {
	store *core.Store[T]
	// informer is the *core.Informer[T] whose store it is, or nil.
	informer any
	// key is for objects that are not a T; others have the store's key.
	key KeyFunc
	// otherKeys is set if keys are not made of the namespace and the name.
	otherKeys bool
	// transform may be nil. It is applied to what Add, Update and Replace are
	// given, but, as in client-go, not to transactions.
	transform TransformFunc

	mu sync.RWMutex
	// funcs are the functions of indexes that this indexer has registered or
	// used, by name. Others are made from the store's on first use.
	funcs Indexers
}

// status is that of the informer, if there is one.
func (x *indexer[T]) status() (core.Status, bool) {
	informer, ok := x.informer.(interface{ Status() core.Status })
	if !ok {
		return core.Status{}, false
	}
	return informer.Status(), true
}

func newIndexer[T any](store *core.Store[T]) *indexer[T] {
	return &indexer[T]{store: store, key: DeletionHandlingMetaNamespaceKeyFunc, funcs: Indexers{}}
}

// TypedStore returns the store below. Listers look for this method.
func (x *indexer[T]) TypedStore() *core.Store[T] { return x.store }

func (x *indexer[T]) Add(obj any) error { return x.Update(obj) }

func (x *indexer[T]) Update(obj any) error {
	t, err := x.ingest(obj)
	if err != nil {
		return err
	}
	return x.set(t)
}

func (x *indexer[T]) Delete(obj any) error {
	name, err := x.name(obj)
	if err != nil {
		return err
	}
	x.store.Apply([]core.Change[T]{{Key: name, Delete: true}}, resourceVersionOf(obj))
	return nil
}

func (x *indexer[T]) Replace(list []any, resourceVersion string) error {
	objs := make([]T, 0, len(list))
	for _, obj := range list {
		if _, err := x.name(obj); err != nil {
			return err
		}
		t, err := x.ingest(obj)
		if err != nil {
			return err
		}
		objs = append(objs, t)
	}
	return x.store.Replace(objs, resourceVersion)
}

func (x *indexer[T]) List() []any { return untypedSnapshot(x.store.Snapshot()) }

func (x *indexer[T]) ListKeys() []string { return joinKeys(x.store.Keys()) }

func (x *indexer[T]) Get(obj any) (item any, exists bool, err error) {
	name, err := x.name(obj)
	if err != nil {
		return nil, false, err
	}
	if obj, ok := x.store.Get(name); ok {
		return obj, true, nil
	}
	return nil, false, nil
}

func (x *indexer[T]) GetByKey(key string) (item any, exists bool, err error) {
	obj, ok := x.store.Get(splitKey(key))
	if !ok {
		return nil, false, nil
	}
	return obj, true, nil
}

func (x *indexer[T]) Resync() error { return nil }

func (x *indexer[T]) Bookmark(resourceVersion string) { x.store.SetResourceVersion(resourceVersion) }

func (x *indexer[T]) LastStoreSyncResourceVersion() string { return x.store.ResourceVersion() }

func (x *indexer[T]) Index(indexName string, obj any) ([]any, error) {
	values, err := x.valuesOf(indexName, obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		return x.ByIndex(indexName, values[0])
	}
	found, err := x.byAny(indexName, values...)
	return untyped(found), err
}

func (x *indexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	values, err := x.valuesOf(indexName, obj)
	if err != nil {
		return nil, err
	}
	return x.byAny(indexName, values...)
}

func (x *indexer[T]) ByIndex(indexName, indexedValue string) ([]any, error) {
	found, err := x.store.SnapshotByIndex(indexName, indexedValue)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	return untypedSnapshot(found), nil
}

func (x *indexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	return x.byAny(indexName, indexedValue)
}

func (x *indexer[T]) byAny(indexName string, values ...string) ([]T, error) {
	found, err := x.store.ByIndexAny(indexName, values...)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	if found == nil {
		found = []T{} // as client-go's: a list without elements
	}
	return found, nil
}

func (x *indexer[T]) IndexKeys(indexName, indexedValue string) ([]string, error) {
	names, err := x.store.IndexKeys(indexName, indexedValue)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	keys := joinKeys(names)
	slices.Sort(keys)
	return keys, nil
}

func (x *indexer[T]) ListIndexFuncValues(indexName string) []string {
	values, err := x.store.IndexValues(indexName)
	if err != nil {
		return []string{}
	}
	return values
}

// valuesOf returns the values that obj, which need not be a T, has in an index.
func (x *indexer[T]) valuesOf(indexName string, obj any) ([]string, error) {
	fn := x.indexFunc(indexName)
	if fn == nil {
		return nil, unknownIndex(indexName)
	}
	return fn(obj)
}

// ingest returns obj as it is stored: transformed, if there is a transform, and
// of type T.
func (x *indexer[T]) ingest(obj any) (T, error) {
	if x.transform == nil {
		return x.typed(obj)
	}
	var none T
	if _, err := x.name(obj); err != nil {
		return none, err
	}
	obj, err := x.transform(obj)
	if err != nil {
		return none, fmt.Errorf("transforming: %w", err)
	}
	return x.typed(obj)
}

// typed returns obj as a T. An object without a key is a KeyError, whatever its
// type.
func (x *indexer[T]) typed(obj any) (T, error) {
	t, ok := obj.(T)
	if !ok {
		if _, err := x.key(obj); err != nil {
			return t, KeyError{Obj: obj, Err: err}
		}
		return t, typeError[T]("object", obj)
	}
	return t, nil
}

func (x *indexer[T]) set(obj T) error {
	if err := x.store.Set(obj); err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	return nil
}

// name returns the key of anything that has one.
func (x *indexer[T]) name(obj any) (types.NamespacedName, error) {
	if t, ok := obj.(T); ok {
		name, err := x.store.Key(t)
		if err != nil {
			return name, KeyError{Obj: obj, Err: err}
		}
		return name, nil
	}
	key, err := x.key(obj)
	if err != nil {
		return types.NamespacedName{}, KeyError{Obj: obj, Err: err}
	}
	return splitKey(key), nil
}

// resourceVersionOf returns "" for what has none.
func resourceVersionOf(obj any) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// untyped copies a list into client-go's form of it.
func untyped[T any](objs []T) []any {
	if list, ok := any(objs).([]any); ok && list != nil {
		return list
	}
	list := make([]any, len(objs))
	for i, obj := range objs {
		list[i] = obj
	}
	return list
}

// untypedSnapshot does so without a typed copy first.
func untypedSnapshot[T any](objs core.Snapshot[T]) []any {
	list := make([]any, 0, objs.Len())
	for obj := range objs.All() {
		list = append(list, obj)
	}
	return list
}

func joinKeys(names []types.NamespacedName) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = joinKey(name)
	}
	return keys
}

// unknownIndex has client-go's words.
func unknownIndex(name string) error {
	return fmt.Errorf("Index with name %s does not exist", name) //nolint:staticcheck // callers compare client-go's text
}
