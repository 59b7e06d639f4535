package cache

import (
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// StoreOption configures NewStore and NewIndexer. client-go's type of this name is a function of an
// unexported type.
type StoreOption func(*storeOptions)

type storeOptions struct {
	transform TransformFunc
	metric    func(resourceVersion string)
}

// WithTransformer applies a function to the objects of Add, Update and Replace before they are stored. The
// result must have the key of its argument.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(o *storeOptions) { o.transform = transformer }
}

// NewStore returns an empty store of objects of any type, keyed by a function.
// It is safe for concurrent use.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store {
	return NewIndexer(keyFunc, Indexers{}, opts...)
}

// NewIndexer returns an empty store of objects of any type, keyed by a function
// and with indexes. It is safe for concurrent use. An indexer without a name or
// a function is logged and left out.
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	var o storeOptions
	for _, opt := range opts {
		opt(&o)
	}
	key, standard := splitKeyFunc(keyFunc)
	// Only an index could make this fail, and the store has none yet.
	store, _ := core.NewStore(key)
	x := newIndexer(store)
	x.key, x.transform, x.otherKeys, x.metric = keyFunc, o.transform, !standard, o.metric
	addEach(x, indexers)
	return x
}

// addEach adds indexers one by one. It is for constructors, which return no error.
func addEach(to *indexer, indexers Indexers) {
	for name, fn := range indexers {
		if err := to.AddIndexers(Indexers{name: fn}); err != nil {
			klog.Background().Error(err, "Indexer left out", "index", name)
		}
	}
}

// WithStoreMetrics publishes the resourceVersion of the store. If metrics is nil, the provider of
// SetInformerMetricsProvider is used. Without a provider, or if the identity is not reserved, nothing is
// published.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(o *storeOptions) { o.metric = newStoreMetric(identifier, metrics) }
}

// publish publishes the resourceVersion, if the store has WithStoreMetrics.
func (x *indexer) publish() {
	if x.metric == nil {
		return
	}
	x.publishing.Lock()
	defer x.publishing.Unlock()
	x.metric(x.store.ResourceVersion())
}
