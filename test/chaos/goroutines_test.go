package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/test/goroutines"
)

// wantNoGoroutines fails the test for every goroutine that runs code of the
// runtime, in the end.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(settleTimeout); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if left = goroutines.OfRuntime(); len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}
