//go:build !before36

package cache

import (
	"context"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// The types that tools/cache has since 0.36. Their documentation is client-go's.
type (
	BookmarkInfo            = cache.BookmarkInfo
	DoneChecker             = cache.DoneChecker
	HistogramMetric         = cache.HistogramMetric
	InformerMetricsProvider = cache.InformerMetricsProvider
	InformerName            = cache.InformerName
	InformerNameAndResource = cache.InformerNameAndResource
	ReflectorBookmarkStore  = cache.ReflectorBookmarkStore
	ReplacedAllInfo         = cache.ReplacedAllInfo
	SyncAllInfo             = cache.SyncAllInfo
	SyncResult              = cache.SyncResult
	ThreadSafeStoreOption   = cache.ThreadSafeStoreOption
)

// The constants that tools/cache has since 0.36.
const (
	Bookmark    = cache.Bookmark
	ReplacedAll = cache.ReplacedAll
	SyncAll     = cache.SyncAll
)

// IsDone reports whether the activity is done.
func IsDone(checker DoneChecker) bool { return cache.IsDone(checker) }

// NewInformerName reserves a name for the informers of one factory, unique in
// the process until it is released.
func NewInformerName(name string) (*InformerName, error) { return cache.NewInformerName(name) }

// ResetInformerNamesForTesting releases every reserved informer name.
func ResetInformerNamesForTesting() { cache.ResetInformerNamesForTesting() }

// WaitFor waits until every checker is done or ctx ends, and reports whether
// they are. It logs progress if what is not empty.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	// The log names the caller of this function, as client-go's does.
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithCallDepth(1))
	return cache.WaitFor(ctx, what, checkers...)
}

// NewThreadSafeStore returns an empty store of objects of any type, under keys that its
// callers give.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	return cache.NewThreadSafeStore(indexers, indices, opts...)
}

// WithThreadSafeStoreMetrics publishes the resourceVersion of the store.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return cache.WithThreadSafeStoreMetrics(identifier, metricsProvider)
}

func (x *typedIndexer[T]) Bookmark(resourceVersion string) { x.untyped.Bookmark(resourceVersion) }

func (x *typedIndexer[T]) LastStoreSyncResourceVersion() string {
	return x.untyped.LastStoreSyncResourceVersion()
}

// SyncedChecker returns the checker of an informer.
func SyncedChecker(informer SharedInformer) DoneChecker { return informer.HasSyncedChecker() }

// shareProvider gives client-go a provider of metrics.
func shareProvider(metricsProvider InformerMetricsProvider) {
	cache.SetInformerMetricsProvider(metricsProvider)
}

// identityOf returns the identity of an informer in metrics, and their provider.
func identityOf(options SharedIndexInformerOptions) (InformerNameAndResource, InformerMetricsProvider) {
	return options.Identifier, options.InformerMetricsProvider
}

// identityOfUnshared is identityOf for an informer with one handler.
func identityOfUnshared(options InformerOptions) (InformerNameAndResource, InformerMetricsProvider) {
	return options.Identifier, options.InformerMetricsProvider
}

// loggerOf returns the logger of an informer with one handler, or nil.
func loggerOf(options InformerOptions) *klog.Logger { return options.Logger }
