package cache

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// ThreadSafeStoreOption configures NewThreadSafeStore. It is not client-go's, which
// is a function of an unexported type.
type ThreadSafeStoreOption func(*threadSafeStore)

// WithThreadSafeStoreMetrics publishes the resourceVersion of the store. A nil
// metricsProvider is the one of SetInformerMetricsProvider.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(s *threadSafeStore) { s.metric = newStoreMetric(identifier, metricsProvider) }
}

// NewThreadSafeStore returns an empty store of objects of any type, under keys that
// its callers give. What it returns is also a ThreadSafeStoreWithTransaction. An
// indexer without a name or a function is logged and left out. Indices must be
// empty, as those of other packages are.
func NewThreadSafeStore(indexers Indexers, _ Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	store, _ := core.NewStore(func(any) (types.NamespacedName, error) {
		return types.NamespacedName{}, errors.New("object has no key: the store is keyed by its callers")
	})
	s := &threadSafeStore{indexer: newIndexer(store)}
	for _, opt := range opts {
		opt(s)
	}
	addEach(s, indexers)
	return s
}

// threadSafeStore writes to an indexer by keys. It reads as the indexer does.
type threadSafeStore struct {
	*indexer
	metric storeMetric

	// writing is held by writers: what Replace finds stays until it is replaced, and
	// what is published last is the latest.
	writing sync.Mutex
}

var _ ThreadSafeStoreWithTransaction = (*threadSafeStore)(nil)

func (s *threadSafeStore) Add(key string, obj any) { s.Update(key, obj) }

func (s *threadSafeStore) Update(key string, obj any) {
	s.apply(resourceVersionOf(obj), core.Change[any]{Key: splitKey(key), Object: obj})
}

func (s *threadSafeStore) Delete(key string) { s.DeleteWithObject(key, nil) }

func (s *threadSafeStore) DeleteWithObject(key string, obj any) {
	s.apply(resourceVersionOf(obj), core.Change[any]{Key: splitKey(key), Delete: true})
}

func (s *threadSafeStore) Transaction(txns ...ThreadSafeStoreTransaction) {
	if len(txns) == 0 {
		return
	}
	changes := make([]core.Change[any], len(txns))
	for i, txn := range txns {
		changes[i] = core.Change[any]{Key: splitKey(txn.Key), Object: txn.Object, Delete: txn.Type == TransactionTypeDelete}
	}
	s.apply(resourceVersionOf(txns[len(txns)-1].Object), changes...)
}

func (s *threadSafeStore) Bookmark(resourceVersion string) { s.apply(resourceVersion) }

// Replace makes all the changes that lead to the new content at once.
func (s *threadSafeStore) Replace(items map[string]any, resourceVersion string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	changes := make([]core.Change[any], 0, len(items))
	for _, key := range s.store.Keys() {
		if _, stays := items[joinKey(key)]; !stays {
			changes = append(changes, core.Change[any]{Key: key, Delete: true})
		}
	}
	for key, obj := range items {
		changes = append(changes, core.Change[any]{Key: splitKey(key), Object: obj})
	}
	s.applyLocked(resourceVersion, changes)
}

func (s *threadSafeStore) apply(resourceVersion string, changes ...core.Change[any]) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.applyLocked(resourceVersion, changes)
}

func (s *threadSafeStore) applyLocked(resourceVersion string, changes []core.Change[any]) {
	s.store.Apply(changes, resourceVersion)
	s.metric.publish(s.store.ResourceVersion())
}

func (s *threadSafeStore) Get(key string) (item any, exists bool) {
	return s.store.Get(splitKey(key))
}

// AddIndexers adds all of the indexers, or on a conflict none. Their functions are
// not asked for nil.
func (s *threadSafeStore) AddIndexers(newIndexers Indexers) error {
	indexes := make([]core.Index[any], 0, len(newIndexers))
	for name, fn := range newIndexers {
		index := core.Index[any]{Name: name}
		if fn != nil {
			index.Values = func(obj any) ([]string, error) {
				if obj == nil {
					return nil, nil
				}
				return fn(obj)
			}
		}
		indexes = append(indexes, index)
	}
	return s.addIndexes(newIndexers, indexes)
}
