package cache

// WithStoreMetrics publishes the resourceVersion of the store. A nil metrics is the
// provider of SetInformerMetricsProvider. Without one, or if the identity is not
// reserved, nothing is published.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(o *storeOptions) { o.metric = newStoreMetric(identifier, metrics) }
}

// publish publishes the resourceVersion, if the store is one of WithStoreMetrics.
func (x *indexer) publish() {
	if x.metric.gauge == nil {
		return
	}
	x.publishing.Lock()
	defer x.publishing.Unlock()
	x.metric.publish(x.store.ResourceVersion())
}
