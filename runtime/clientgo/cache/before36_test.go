//go:build before36

package cache

import "k8s.io/klog/v2"

// addedBefore36 are the names of newer minors of client-go.
const addedBefore36 = ` DoneChecker HistogramMetric InformerMetricsProvider InformerName InformerNameAndResource IsDone NewInformerName ResetInformerNamesForTesting SetInformerMetricsProvider SyncResult WaitFor WithStoreMetrics`

func deleteObject(s ThreadSafeStore, key string, _ any) { s.Delete(key) }

func bookmark(x Indexer, resourceVersion string) {
	if v, ok := x.(versioned); ok {
		v.Bookmark(resourceVersion)
	}
}

// logTo reports whether an informer can be given a logger: its options have none.
func logTo(*klog.Logger, *InformerOptions) bool { return false }
