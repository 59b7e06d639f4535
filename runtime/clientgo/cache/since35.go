//go:build !before35

package cache

import (
	"k8s.io/client-go/tools/cache"
)

// The types that tools/cache has since 0.35. Their documentation is client-go's.
type (
	ProcessBatchFunc               = cache.ProcessBatchFunc
	QueueWithBatch                 = cache.QueueWithBatch
	RealFIFOOptions                = cache.RealFIFOOptions
	ThreadSafeStoreTransaction     = cache.ThreadSafeStoreTransaction
	ThreadSafeStoreWithTransaction = cache.ThreadSafeStoreWithTransaction
	Transaction                    = cache.Transaction
	TransactionError               = cache.TransactionError
	TransactionStore               = cache.TransactionStore
	TransactionType                = cache.TransactionType
)

// The constants that tools/cache has since 0.35.
const (
	TransactionTypeAdd    = cache.TransactionTypeAdd
	TransactionTypeDelete = cache.TransactionTypeDelete
	TransactionTypeUpdate = cache.TransactionTypeUpdate
)

// The functions that tools/cache has since 0.35. Their documentation is client-go's.
var (
	NewRealFIFOWithOptions              = cache.NewRealFIFOWithOptions
	ToListWatcherWithWatchListSemantics = cache.ToListWatcherWithWatchListSemantics
)
