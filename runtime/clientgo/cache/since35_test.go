//go:build !before35

package cache

import "k8s.io/client-go/tools/cache"

var _ cache.TransactionStore = (*indexer)(nil)

const addedBefore35 = ""
