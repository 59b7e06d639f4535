package cache

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
		timer := newIdleTimer(8*time.Second, func() { expired <- time.Now() })
		for range 10 {
			time.Sleep(5 * time.Second)
			timer.touch()
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
		timer := newIdleTimer(8*time.Second, func() { t.Error("expired") })
		time.Sleep(7 * time.Second)
		timer.stop()
		time.Sleep(time.Minute)
	})
}

func TestBookmarkInterval(t *testing.T) {
	const fallback = 4 * time.Minute
	for _, test := range []struct {
		name      string
		intervals []time.Duration
		want      time.Duration
	}{
		{"nothing is known", nil, fallback},
		{"two intervals may be chance", []time.Duration{time.Minute, time.Minute}, fallback},
		{"three missing ones are enough", []time.Duration{time.Minute, 50 * time.Second, time.Minute}, 3 * time.Minute},
		{"the longest interval counts", []time.Duration{time.Second, 20 * time.Second, time.Second}, time.Minute},
		{"bookmarks may be late", []time.Duration{time.Second, time.Second, time.Second}, minimumIdleTimeout},
		{"no longer than the option says", []time.Duration{time.Hour, time.Hour, time.Hour}, fallback},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bookmarkInterval
			for _, interval := range test.intervals {
				b.observe(interval)
			}
			if got := b.idleTimeout(fallback); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
