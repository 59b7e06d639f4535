//go:build before35

package field

import "os"

// Watch-lists are off by default.
func init() { os.Setenv("KUBE_FEATURE_WatchListClient", "true") }
