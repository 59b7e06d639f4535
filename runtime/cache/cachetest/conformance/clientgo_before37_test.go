//go:build before37

package conformance_test

// olderDefects are the defects of older minors of client-go.
var olderDefects = map[string]string{
	"I4 a handler that was removed gets no more events, and may be removed again": "cannot tell when a removed handler has returned",
	"I4 shutting down a handler waits for its last call, if there was one":        "cannot tell when a removed handler has returned",
}
