package e2e

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"
)

// wantNoGoroutines fails the test for every goroutine that runs code of the
// runtime. One that has told that it ended may need a moment to be gone.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		left := goroutines("informer-gen/informer-gen/runtime/")
		if len(left) == 0 {
			return nil
		}
		return fmt.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
	})
}

// goroutines returns the stacks with a frame in, or created by, a function
// whose package path contains path.
func goroutines(path string) []string {
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 2); err != nil {
		return []string{err.Error()}
	}
	var found []string
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, path) {
			found = append(found, stack)
		}
	}
	return found
}
