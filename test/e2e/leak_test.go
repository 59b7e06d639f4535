package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/test/goroutines"
)

// wantNoGoroutines fails the test for every goroutine that runs code of the
// runtime, in the end.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		left := goroutines.OfRuntime()
		if len(left) == 0 {
			return nil
		}
		return fmt.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
	})
}
