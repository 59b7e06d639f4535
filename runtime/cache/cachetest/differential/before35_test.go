//go:build before35

package differential_test

// There are no watch-lists by default.
func init() { unneeded = append(unneeded, "order of a watch-list") }
