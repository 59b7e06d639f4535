//go:build before35

package cache

// addedBefore35 are the names of newer minors of client-go.
const addedBefore35 = ` Transaction TransactionError TransactionStore TransactionType TransactionTypeAdd TransactionTypeDelete TransactionTypeUpdate`
