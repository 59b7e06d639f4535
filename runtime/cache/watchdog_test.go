package cache

import (
	"testing"
	"testing/synctest"
	"time"
)

// A watchdog barks once, when it was not fed for as long as its patience lasts
// and no more than a quarter longer.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		barked := make(chan time.Time, 2)
		dog := newWatchdog(8*time.Second, func() { barked <- time.Now() })
		for range 10 {
			time.Sleep(5 * time.Second)
			dog.feed()
		}
		last := time.Now()
		time.Sleep(time.Minute)
		if len(barked) != 1 {
			t.Fatalf("barked %d times", len(barked))
		}
		if hungry := (<-barked).Sub(last); hungry < 8*time.Second || hungry > 10*time.Second {
			t.Errorf("barked after %v", hungry)
		}
	})
}

func TestWatchdogStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dog := newWatchdog(8*time.Second, func() { t.Error("barked") })
		time.Sleep(7 * time.Second)
		dog.stop()
		time.Sleep(time.Minute)
	})
}
