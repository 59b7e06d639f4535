//go:build before35

package cache

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// Index maps the indexed values to the keys of objects.
//
// Deprecated: client-go has it until 0.34.
type Index = cache.Index

// TransactionType is the kind of a change.
type TransactionType string

// The kinds of changes.
const (
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one change of a store.
type Transaction struct {
	Object any
	Type   TransactionType
}

// TransactionStore is a store that makes several changes at once.
type TransactionStore interface {
	// Transaction makes the changes that can be made, and returns an error for the rest.
	Transaction(txns ...Transaction) *TransactionError
}

// TransactionError says which changes were made, by their positions, and why the other changes were not.
type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (e *TransactionError) Error() string {
	return fmt.Sprintf("failed to execute (%d/%d) transactions failed due to: %v",
		e.TotalTransactions-len(e.SuccessfulIndices), e.TotalTransactions, e.Errors)
}
