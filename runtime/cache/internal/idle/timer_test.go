package idle

import (
	"testing"
	"testing/synctest"
	"time"
)

// An idle timer expires once, when nothing happened for its timeout and no more than
// a quarter longer.
func TestIdleTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expired := make(chan time.Time, 2)
		timer := New(8*time.Second, func() { expired <- time.Now() })
		for range 10 {
			time.Sleep(5 * time.Second)
			timer.Touch()
		}
		last := time.Now()
		time.Sleep(time.Minute)
		if len(expired) != 1 {
			t.Fatalf("expired %d times", len(expired))
		}
		if idle := (<-expired).Sub(last); idle < 8*time.Second || idle > 10*time.Second {
			t.Errorf("expired after %v", idle)
		}
	})
}

func TestIdleTimerStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timer := New(8*time.Second, func() { t.Error("expired") })
		time.Sleep(7 * time.Second)
		timer.Stop()
		time.Sleep(time.Minute)
	})
}
