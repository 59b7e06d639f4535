//go:build before36

package cache

import "k8s.io/klog/v2"

// addedBefore36 are the names of newer minors of client-go.
const addedBefore36 = ` DoneChecker HistogramMetric InformerMetricsProvider InformerName InformerNameAndResource IsDone NewInformerName ResetInformerNamesForTesting SetInformerMetricsProvider SyncResult WaitFor WithStoreMetrics`

const (
	// otherTypes are the names with another type than client-go's, and what makes it or takes it.
	otherTypes = `NewIndexer StoreOption WithTransformer`
	// lastTwin is the event of client-go for the second of two objects of one key in a list.
	lastTwin = "update b@9"
)

// comparedVersion is none: client-go's stores have no resourceVersion.
func comparedVersion(Store) string { return "" }

func deleteObject(s ThreadSafeStore, key string, _ any) { s.Delete(key) }

func bookmark(x Indexer, resourceVersion string) {
	if v, ok := x.(versioned); ok {
		v.Bookmark(resourceVersion)
	}
}

// logTo reports whether an informer can be given a logger: its options have none.
func logTo(*klog.Logger, *InformerOptions) bool { return false }
