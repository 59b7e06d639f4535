//go:build !before35

package field_test

import "testing"

// useWatchLists has nothing to do: informers use watch-lists by default.
func useWatchLists(*testing.T) {}
