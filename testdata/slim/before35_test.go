//go:build before35

package slim_test

import "os"

// Watch-lists are off by default.
func init() { os.Setenv("KUBE_FEATURE_WatchListClient", "true") }
