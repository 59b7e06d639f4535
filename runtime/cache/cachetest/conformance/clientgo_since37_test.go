//go:build !before37

package conformance_test

// olderDefects are the defects of older minors of client-go.
var olderDefects map[string]string
