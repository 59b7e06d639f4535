package cache

import "k8s.io/apimachinery/pkg/types"

// Transaction makes the changes in order. An object without a key or of another
// type than the store's is skipped and reported; the others are made. The
// store's resourceVersion is that of the last of them.
func (x *indexer[T]) Transaction(txns ...Transaction) *TransactionError {
	type change struct {
		name types.NamespacedName
		obj  T
		txn  Transaction
	}
	changes := make([]change, 0, len(txns))
	made := make([]int, 0, len(txns))
	var errs []error
	for i, txn := range txns {
		c := change{txn: txn}
		var err error
		c.name, err = x.name(txn.Object)
		if err == nil && txn.Type != TransactionTypeDelete {
			c.obj, err = x.typed(txn.Object)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		changes = append(changes, c)
		made = append(made, i)
	}
	for _, c := range changes {
		switch c.txn.Type {
		case TransactionTypeAdd, TransactionTypeUpdate:
			// The key was computed above, so this can't fail.
			_ = x.set(c.obj)
		case TransactionTypeDelete:
			x.store.Delete(c.name)
		}
	}
	if n := len(changes); n > 0 {
		x.observe(changes[n-1].txn.Object)
	}
	if len(errs) == 0 {
		return nil
	}
	return &TransactionError{SuccessfulIndices: made, TotalTransactions: len(txns), Errors: errs}
}
