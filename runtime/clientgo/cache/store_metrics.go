package cache

import "sync"

// WithStoreMetrics publishes the resourceVersion of the store. A nil metrics is the
// provider of SetInformerMetricsProvider. Without one, or if the identity is not
// reserved, nothing is published.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(o *storeOptions) { o.metric = newStoreMetric(identifier, metrics) }
}

// publishingIndexer publishes its resourceVersion after each write.
type publishingIndexer struct {
	*indexer
	metric storeMetric

	// publishing lets what is published last be the latest.
	publishing sync.Mutex
}

func (x *publishingIndexer) publish() {
	x.publishing.Lock()
	defer x.publishing.Unlock()
	x.metric.publish(x.LastStoreSyncResourceVersion())
}

func (x *publishingIndexer) Add(obj any) error {
	defer x.publish()
	return x.indexer.Add(obj)
}

func (x *publishingIndexer) Update(obj any) error {
	defer x.publish()
	return x.indexer.Update(obj)
}

func (x *publishingIndexer) Delete(obj any) error {
	defer x.publish()
	return x.indexer.Delete(obj)
}

func (x *publishingIndexer) Replace(list []any, resourceVersion string) error {
	defer x.publish()
	return x.indexer.Replace(list, resourceVersion)
}

func (x *publishingIndexer) Bookmark(resourceVersion string) {
	defer x.publish()
	x.indexer.Bookmark(resourceVersion)
}

func (x *publishingIndexer) Transaction(txns ...Transaction) *TransactionError {
	defer x.publish()
	return x.indexer.Transaction(txns...)
}
