//go:build before35

package cache

// addedBefore35 are the names of newer minors of client-go.
const addedBefore35 = ` Transaction TransactionError TransactionStore TransactionType TransactionTypeAdd TransactionTypeDelete TransactionTypeUpdate`

// Transaction makes the changes one by one: client-go's stores have no transactions.
func (k keyed) Transaction(txns ...Transaction) *TransactionError {
	for _, txn := range txns {
		switch txn.Type {
		case TransactionTypeAdd:
			k.Add(txn.Object)
		case TransactionTypeUpdate:
			k.Update(txn.Object)
		case TransactionTypeDelete:
			k.ThreadSafeStore.Delete(k.key(txn.Object))
		}
	}
	return nil
}
