package idle

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// An idle timer expires once, when nothing happened for its timeout and no more than
// a quarter longer.
func TestIdleTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expired := make(chan time.Time, 2)
		timer := New(8*time.Second, math.MaxInt64, func() { expired <- time.Now() })
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

// A timer to which some time is given back expires later by that, and never has more left than
// its timeout.
func TestTimeGivenBack(t *testing.T) {
	for _, test := range []struct {
		name            string
		each, given     time.Duration
		total           time.Duration
		earliest, after time.Duration
	}{
		{"nothing", time.Second, 0, math.MaxInt64, 8 * time.Second, 10 * time.Second},
		{"half of the time", time.Second, time.Second / 2, math.MaxInt64, 16 * time.Second, 18 * time.Second},
		{"nearly all of it", time.Second, 900 * time.Millisecond, math.MaxInt64, 70 * time.Second, 82 * time.Second},
		{"much at the beginning", time.Hour, time.Hour, math.MaxInt64, 8 * time.Second, 10 * time.Second},
		{"all of it", time.Second, time.Second, 24 * time.Minute, 24 * time.Minute, 24*time.Minute + 2*time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				expired := make(chan time.Duration, 1)
				timer := New(8*time.Second, test.total, func() { expired <- time.Since(began) })
				time.Sleep(time.Millisecond) // so that no check is at the time of a Give
				for len(expired) == 0 && time.Since(began) < 2*time.Hour {
					timer.Give(test.given)
					time.Sleep(test.each)
				}
				if took := <-expired; took < test.earliest || took > test.after {
					t.Errorf("expired after %v, want %v to %v", took, test.earliest, test.after)
				}
			})
		})
	}
}

func TestIdleTimerStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timer := New(8*time.Second, math.MaxInt64, func() { t.Error("expired") })
		time.Sleep(7 * time.Second)
		timer.Stop()
		time.Sleep(time.Minute)
	})
}
