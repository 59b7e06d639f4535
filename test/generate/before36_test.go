//go:build before36

package generate

var newerAdditions = []string{"StartWithContext", "WaitForCacheSyncWithContext"}
