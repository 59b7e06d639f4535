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

// NewRealFIFO returns an empty queue that has all changes in the order of arrival.
//
// Deprecated: use NewRealFIFOWithOptions.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

// NewRealFIFOWithOptions returns an empty queue that has all changes in the order of arrival.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	return cache.NewRealFIFOWithOptions(opts)
}

// ToListWatcherWithWatchListSemantics returns lw as a ListerWatcher that supports
// watch-lists if client does.
func ToListWatcherWithWatchListSemantics(lw *ListWatch, client any) ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(lw, client)
}
