package cache

import core "github.com/informer-gen/informer-gen/runtime/cache"

// Transaction makes the changes in order, at once for every reader. An object without a key, or of another
// type than the store's, is reported and skipped. The store gets the resourceVersion of the last change.
func (x *indexer) Transaction(txns ...Transaction) *TransactionError {
	defer x.publish()
	changes := make([]core.Change[any], 0, len(txns))
	made := make([]int, 0, len(txns))
	var errs []error
	for i, txn := range txns {
		change, err := x.change(txn)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		changes = append(changes, change)
		made = append(made, i)
	}
	if n := len(made); n > 0 {
		x.store.Apply(changes, resourceVersionOf(txns[made[n-1]].Object))
	}
	if len(errs) == 0 {
		return nil
	}
	return &TransactionError{SuccessfulIndices: made, TotalTransactions: len(txns), Errors: errs}
}

// change returns the store's form of one change of a transaction.
func (x *indexer) change(txn Transaction) (change core.Change[any], err error) {
	if change.Key, err = x.name(txn.Object); err != nil {
		return change, err
	}
	if change.Delete = txn.Type == TransactionTypeDelete; !change.Delete {
		change.Object, err = txn.Object, x.checkType(txn.Object)
	}
	return change, err
}
