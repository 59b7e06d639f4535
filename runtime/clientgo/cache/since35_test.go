//go:build !before35

package cache

import "k8s.io/client-go/tools/cache"

var _ cache.TransactionStore = (*indexer)(nil)

const addedBefore35 = ""

// controllersHaveVersions reports whether the controller of client-go's informer has a version.
const controllersHaveVersions = true

func transact(x Indexer, txns []Transaction) error {
	if err := x.(TransactionStore).Transaction(txns...); err != nil {
		return err
	}
	return nil
}

func (k keyed) Transaction(txns ...Transaction) *TransactionError {
	var all []ThreadSafeStoreTransaction
	for _, txn := range txns {
		all = append(all, ThreadSafeStoreTransaction{Transaction: txn, Key: k.key(txn.Object)})
	}
	k.ThreadSafeStore.(ThreadSafeStoreWithTransaction).Transaction(all...)
	return nil
}
