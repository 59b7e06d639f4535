//go:build before36

package differential_test

import "k8s.io/client-go/tools/cache"

// storeVersion is not compared: client-go's stores have no resourceVersion.
func storeVersion(cache.Store) string { return "" }
