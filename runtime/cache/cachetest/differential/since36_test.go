//go:build !before36

package differential_test

import "k8s.io/client-go/tools/cache"

func storeVersion(store cache.Store) string { return store.LastStoreSyncResourceVersion() }
