package lookup

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Stop ends a look-up that waits for its answer, and none begins after it.
func TestLookupsStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := New(t.Context(), Config{
			Find: func(ctx context.Context, _ types.NamespacedName) (Finding, error) {
				asked++
				<-ctx.Done()
				return Finding{Object: "found"}, nil
			},
			Found:   func(types.NamespacedName, Finding) { t.Error("something was found") },
			Jitter:  func(time.Duration) time.Duration { return 0 },
			Ordered: true,
		})
		key := types.NamespacedName{Name: "a"}
		l.Add(key)
		time.Sleep(2 * firstDelay)
		synctest.Wait()
		if asked != 1 {
			t.Fatalf("%d objects were asked for, want 1", asked)
		}
		l.Stop()
		l.Add(key)
		time.Sleep(time.Hour)
		if asked != 1 {
			t.Error("an object was looked up after the end")
		}
	})
}
