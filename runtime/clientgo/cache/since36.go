//go:build !before36

package cache

import (
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

// The functions that tools/cache has since 0.36. Their documentation is client-go's.
var (
	IsDone                       = cache.IsDone
	NewInformerName              = cache.NewInformerName
	ResetInformerNamesForTesting = cache.ResetInformerNamesForTesting
	WaitFor                      = cache.WaitFor
	WithThreadSafeStoreMetrics   = cache.WithThreadSafeStoreMetrics
)

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
