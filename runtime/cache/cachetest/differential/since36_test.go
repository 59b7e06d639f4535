//go:build !before36

package differential_test

import "k8s.io/client-go/tools/cache"

// lastTwins keeps of several objects of one key in a list the events of the last one.
func lastTwins() func(int, *record, *event) bool {
	return func(_ int, r *record, e *event) bool {
		is, last := r.twin(e)
		return !is || last
	}
}

func storeVersion(store cache.Store) string { return store.LastStoreSyncResourceVersion() }
