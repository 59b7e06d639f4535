//go:build before35

package cache

import "errors"

// addedBefore35 are the names of newer minors of client-go.
const addedBefore35 = ` Transaction TransactionError TransactionStore TransactionType TransactionTypeAdd TransactionTypeDelete TransactionTypeUpdate`

// controllersHaveVersions reports whether the controller of client-go's informer has a version.
const controllersHaveVersions = false

// transact makes the changes one by one.
func transact(x Indexer, txns []Transaction) (err error) {
	for _, txn := range txns {
		switch txn.Type {
		case TransactionTypeAdd:
			err = errors.Join(err, x.Add(txn.Object))
		case TransactionTypeUpdate:
			err = errors.Join(err, x.Update(txn.Object))
		case TransactionTypeDelete:
			err = errors.Join(err, x.Delete(txn.Object))
		}
	}
	return err
}
