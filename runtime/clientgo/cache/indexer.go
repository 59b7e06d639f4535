package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/reader"
)

// UntypedIndexer returns a typed store as a client-go Indexer, which can write to it. The result also
// implements TransactionStore. The store and the indexer share their indexes.
//
// Objects written through it must be of type T. Objects that are only used to look something up, as in Get
// or Index, may be anything with a namespace and a name.
func UntypedIndexer[T any](store core.WritableStore[T]) Indexer {
	return newIndexer(store.Untyped().Writable())
}

// TypedIndexerOf is UntypedIndexer with typed lookups and indexes.
func TypedIndexerOf[T any](store core.WritableStore[T]) TypedIndexer[T] {
	return &typedIndexer[T]{newIndexer(store.Untyped().Writable())}
}

// indexer is a Store with client-go's interfaces.
type indexer struct {
	store core.WritableStore[any]
	// informer is the informer that the store belongs to, or nil.
	informer *untypedInformer
	onDemand bool
	// key computes the keys of objects of other types than the store's.
	key KeyFunc
	// otherKeys is set if keys are not made of the namespace and the name.
	otherKeys bool
	// transform is applied to the objects of Add, Update and Replace but, as in client-go, not of
	// transactions. It may be nil.
	transform TransformFunc
	// metric publishes the version after each write, if it is not nil. publishing makes sure that the
	// latest version is published last.
	metric     func(resourceVersion string)
	publishing sync.Mutex

	mu sync.RWMutex
	// funcs holds the functions of indexes that were registered or used here, by name. For any other index,
	// the function is made from the store's at its first use.
	funcs Indexers
}

func newIndexer(store core.WritableStore[any]) *indexer {
	return &indexer{store: store, key: DeletionHandlingMetaNamespaceKeyFunc, funcs: Indexers{}}
}

// objectType returns the type of the store's objects.
func (x *indexer) objectType() reflect.Type { return x.store.Reader().ObjectType() }

// CoreReader returns a reader of the store below.
func (x *indexer) CoreReader() (reader.Reader, bool) { return x.store.Reader(), true }

func (x *indexer) Add(obj any) error { return x.Update(obj) }

func (x *indexer) Update(obj any) error {
	defer x.publish()
	obj, err := x.ingest(obj)
	if err != nil {
		return err
	}
	if err := x.store.Set(obj); err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	return nil
}

func (x *indexer) Delete(obj any) error {
	defer x.publish()
	name, err := x.name(obj)
	if err != nil {
		return err
	}
	x.store.Apply([]core.Change[any]{{Key: name, Delete: true}}, resourceVersionOf(obj))
	return nil
}

func (x *indexer) Replace(list []any, resourceVersion string) error {
	defer x.publish()
	objs := make([]any, 0, len(list))
	for _, obj := range list {
		if _, err := x.name(obj); err != nil {
			return err
		}
		obj, err := x.ingest(obj)
		if err != nil {
			return err
		}
		objs = append(objs, obj)
	}
	return x.store.Replace(objs, resourceVersion)
}

func (x *indexer) List() []any { return untypedSnapshot(x.store.Snapshot()) }

func (x *indexer) ListKeys() []string { return joinKeys(x.store.Keys()) }

func (x *indexer) Get(obj any) (item any, exists bool, err error) {
	name, err := x.name(obj)
	if err != nil {
		return nil, false, err
	}
	return x.find(name)
}

func (x *indexer) GetByKey(key string) (item any, exists bool, err error) {
	return x.find(splitKey(key))
}

func (x *indexer) find(key types.NamespacedName) (item any, exists bool, err error) {
	switch item, exists = x.store.Get(key); {
	case exists && !x.onDemand:
		return item, true, nil
	case x.informer == nil:
		return x.store.Reader().Find(key)
	}
	return x.informer.informer.Get(context.Background(), key)
}

func (x *indexer) Resync() error { return nil }

func (x *indexer) Bookmark(resourceVersion string) {
	defer x.publish()
	x.store.SetResourceVersion(resourceVersion)
}

func (x *indexer) LastStoreSyncResourceVersion() string { return x.store.ResourceVersion() }

func (x *indexer) Index(indexName string, obj any) ([]any, error) {
	values, err := x.valuesOf(indexName, obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		return x.ByIndex(indexName, values[0])
	}
	found, err := x.store.ByIndexAny(indexName, values...)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	return notNil(found), nil
}

func (x *indexer) ByIndex(indexName, indexedValue string) ([]any, error) {
	found, err := x.store.SnapshotByIndex(indexName, indexedValue)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	return untypedSnapshot(found), nil
}

func (x *indexer) IndexKeys(indexName, indexedValue string) ([]string, error) {
	names, err := x.store.IndexKeys(indexName, indexedValue)
	if err != nil {
		return nil, unknownIndex(indexName)
	}
	keys := joinKeys(names)
	slices.Sort(keys)
	return keys, nil
}

func (x *indexer) ListIndexFuncValues(indexName string) []string {
	values, err := x.store.IndexValues(indexName)
	if err != nil {
		return []string{}
	}
	return values
}

// valuesOf returns the values that obj has in an index. obj need not be a T.
func (x *indexer) valuesOf(indexName string, obj any) ([]string, error) {
	fn := x.indexFunc(indexName)
	if fn == nil {
		return nil, unknownIndex(indexName)
	}
	return fn(obj)
}

// ingest returns obj as it is stored: transformed, if there is a transform, and of the store's type.
func (x *indexer) ingest(obj any) (any, error) {
	if x.transform != nil {
		if _, err := x.name(obj); err != nil {
			return nil, err
		}
		var err error
		if obj, err = x.transform(obj); err != nil {
			return nil, fmt.Errorf("transforming: %w", err)
		}
	}
	return obj, x.checkType(obj)
}

// checkType returns an error for an object that is not of the store's type. If the object has no key, the
// error is a KeyError.
func (x *indexer) checkType(obj any) error {
	if isA(obj, x.objectType()) {
		return nil
	}
	if _, err := x.key(obj); err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	return typeError("object", obj, x.objectType())
}

// name returns the key of an object of any type.
func (x *indexer) name(obj any) (types.NamespacedName, error) {
	if isA(obj, x.objectType()) {
		name, err := x.store.Key(obj)
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

// resourceVersionOf returns the resourceVersion of an object, or "" if it has none.
func resourceVersionOf(obj any) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// notNil returns an empty list in place of nil, as client-go's indexers do.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// untypedSnapshot copies a snapshot into client-go's form of a list.
func untypedSnapshot(objs core.Snapshot[any]) []any {
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

// unknownIndex returns an error with client-go's text.
func unknownIndex(name string) error {
	return fmt.Errorf("Index with name %s does not exist", name) //nolint:staticcheck // callers compare client-go's text
}
