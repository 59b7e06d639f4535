//go:build !before36

package differential_test

import "k8s.io/client-go/tools/cache"

// twins are objects of one key in a list.
type twins struct{}

func newTwins() twins { return twins{} }

// isLast reports whether an event is not of an object that has a later twin.
func (twins) isLast(_ int, r *record, e *event) bool {
	last, twice := r.twice[e.name]
	return !twice || r.step.kind == add || e.kind == deleted || e.obj == last
}

func storeVersion(store cache.Store) string { return store.LastStoreSyncResourceVersion() }
