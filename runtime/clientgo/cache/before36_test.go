//go:build before36

package cache

// addedBefore36 are the names of newer minors of client-go.
const addedBefore36 = ` DoneChecker HistogramMetric InformerMetricsProvider InformerName InformerNameAndResource IsDone NewInformerName ResetInformerNamesForTesting SetInformerMetricsProvider SyncResult WaitFor WithStoreMetrics`
