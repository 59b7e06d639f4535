package cache

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
		l := newLookups(t.Context(), func(ctx context.Context, _ types.NamespacedName) (finding, error) {
			asked++
			<-ctx.Done()
			return finding{exists: true}, nil
		}, func(delta) { t.Error("something was pushed") }, new(settings).jitter, true)
		key := types.NamespacedName{Name: "a"}
		l.add(key)
		time.Sleep(2 * firstLookup)
		synctest.Wait()
		if asked != 1 {
			t.Fatalf("%d objects were asked for, want 1", asked)
		}
		l.stop()
		l.add(key)
		time.Sleep(time.Hour)
		if asked != 1 {
			t.Error("an object was looked up after the end")
		}
	})
}
