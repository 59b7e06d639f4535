package chaos

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// wantNoGoroutines fails the test for every goroutine that runs code of the
// runtime. One that has told that it ended may need a moment to be gone.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if left = goroutines("informer-gen/informer-gen/runtime/"); len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}

// goroutines returns the stacks with a frame in, or created by, a function
// whose package path contains path.
func goroutines(path string) (found []string) {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2) // a buffer takes everything
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, path) {
			found = append(found, stack)
		}
	}
	return found
}
