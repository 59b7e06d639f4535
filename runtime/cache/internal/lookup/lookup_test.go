package lookup

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

var a = types.NamespacedName{Namespace: "ns", Name: "a"}

// config returns look-ups without jitter.
func config(find func(context.Context, types.NamespacedName) (Finding, error), found func(types.NamespacedName, Finding)) Config {
	return Config{Find: find, Found: found, Jitter: func(time.Duration) time.Duration { return 0 }, Ordered: true}
}

// elapse lets time pass, and then waits for what is done by the end of it.
func elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// An object is looked up after a delay that grows until that succeeds, and then once.
func TestDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var asked []time.Duration
		var got []string
		l := New(t.Context(), config(func(context.Context, types.NamespacedName) (Finding, error) {
			if asked = append(asked, time.Since(began)); len(asked) < 3 {
				return Finding{}, errors.New("not now")
			}
			return Finding{Received: protocol.Received{Object: "found"}, Version: "5"}, nil
		}, func(key types.NamespacedName, f Finding) { got = append(got, fmt.Sprintf("%v: %v", key, f.Object)) }))
		defer l.Stop()
		l.Add(a)
		elapse(time.Hour)
		if want := fmt.Sprint([]time.Duration{firstDelay, 3 * firstDelay, 7 * firstDelay}); fmt.Sprint(asked) != want {
			t.Errorf("asked after %v, want %s", asked, want)
		}
		if fmt.Sprint(got) != "[ns/a: found]" {
			t.Errorf("found %v", got)
		}
	})
}

// A watch event makes a look-up needless, and one that is older than what was found is late.
func TestPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finds := 0
		l := New(t.Context(), config(func(context.Context, types.NamespacedName) (Finding, error) {
			finds++
			return Finding{Received: protocol.Received{Object: "found"}, Version: "5"}, nil
		}, func(types.NamespacedName, Finding) {}))
		defer l.Stop()
		pushed := func(version string) (is bool) {
			l.Push(a, version, func() { is = true })
			return is
		}
		if !pushed("3") {
			t.Error("the event of an object that nobody looks up was dropped")
		}
		l.Add(a)
		if !pushed("4") {
			t.Error("the event of an object that is not looked up yet was dropped")
		}
		elapse(time.Hour)
		if finds != 0 {
			t.Errorf("%d look-ups after an event", finds)
		}
		l.Add(a)
		elapse(time.Hour)
		if pushed("4") || pushed("5") {
			t.Error("an event was pushed after a later state")
		}
		if !pushed("6") || !pushed("7") {
			t.Error("a later event was dropped")
		}
	})
}

// While everything is listed, nothing is looked up, and the lookups that are due are dropped. There are
// never too many.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finds := 0
		l := New(t.Context(), config(func(context.Context, types.NamespacedName) (Finding, error) {
			finds++
			return Finding{}, nil
		}, func(types.NamespacedName, Finding) {}))
		defer l.Stop()
		l.Add(a)
		l.Hold()
		for i := range maxPending {
			if !l.Add(types.NamespacedName{Name: fmt.Sprint(i)}) {
				t.Fatalf("%d objects are too many", i)
			}
		}
		if l.Add(a) {
			t.Error("one more than the limit is looked up")
		}
		elapse(time.Hour)
		if finds != 0 {
			t.Errorf("%d look-ups during a list", finds)
		}
		l.Unhold()
		elapse(time.Hour)
		if finds != maxPending {
			t.Errorf("%d look-ups, want %d", finds, maxPending)
		}
	})
}

// Stop ends a look-up that waits for its answer, and none begins after it.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := New(t.Context(), config(func(ctx context.Context, _ types.NamespacedName) (Finding, error) {
			asked++
			<-ctx.Done()
			return Finding{Received: protocol.Received{Object: "found"}}, nil
		}, func(types.NamespacedName, Finding) { t.Error("something was found") }))
		l.Add(a)
		elapse(2 * firstDelay)
		if asked != 1 {
			t.Fatalf("%d objects were asked for, want 1", asked)
		}
		l.Stop()
		l.Add(a)
		elapse(time.Hour)
		if asked != 1 {
			t.Error("an object was looked up after the end")
		}
	})
}
