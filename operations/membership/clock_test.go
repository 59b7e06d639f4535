package membership

import (
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
)

// A member has stopped before others take over, and they do in time, if clocks run from 0.8 to
// 1.2 seconds in a second.
func TestClockMargins(t *testing.T) {
	const slow, fast = 0.8, 1.2
	for lease := time.Second; lease < time.Hour; lease *= 2 {
		group := protocol.Group{LeaseDuration: lease}
		acts := float64(group.ActFor()) / slow
		if waits := float64(group.DeadAfter()) / fast; acts > waits+1 {
			t.Errorf("lease of %v: acts for %v, and others wait for %v", lease, time.Duration(acts), time.Duration(waits))
		}
		if waits := float64(group.RenewInterval()+group.DeadAfter()) / slow; waits > float64(lease)+1 {
			t.Errorf("lease of %v: others know of a death after %v", lease, time.Duration(waits))
		}
	}
}

// The clock of a process advances with the time, and goes by nothing that can be set.
func TestSystemClock(t *testing.T) {
	clock := systemClock(time.Now())
	first, wall := clock.now(), clock.wall()
	time.Sleep(10 * time.Millisecond)
	for _, passed := range []time.Duration{clock.now() - first, clock.wall().Sub(wall)} {
		if passed < 10*time.Millisecond || passed > time.Minute {
			t.Errorf("%v have passed", passed)
		}
	}
	if text := wall.String(); strings.Contains(text, "m=") {
		t.Errorf("the time of day goes by the monotonic clock: %s", text)
	}
}
