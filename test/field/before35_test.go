//go:build before35

package field_test

import (
	"testing"

	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
)

// useWatchLists has informers of client-go's clients use watch-lists, which are off by default. Fake
// clientsets have none, and do not say so.
func useWatchLists(t *testing.T) {
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, true)
}
