//go:build before36

package ecosystem

// indexesBeforeSync says whether IndexField returns before the informer is in sync.
const indexesBeforeSync = false
