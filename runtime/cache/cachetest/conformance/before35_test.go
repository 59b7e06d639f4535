//go:build before35

package conformance_test

import (
	"maps"
	"testing"

	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
)

func init() {
	clientGo.Skip["WL"] = "has no watch-lists by default"
	clientGo.Skip["P1"] = "changes the store one object after the other"
	maps.Copy(clientGo.Defects, map[string]string{
		"S10 operations of a transaction that fail are reported, and the others are done": "has no transactions",
		"I9 the controller of an informer reports on it, and does not run it":             "has no version before a watch",
	})
	delete(clientGo.Defects, "W7 a watch-list is stopped exactly once, however it ends") // it came later
}

// enableWatchLists enables them for a test: they are off by default in client-go before 0.35.
func enableWatchLists(t *testing.T) {
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, true)
}
