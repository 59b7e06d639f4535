package membership

import (
	"testing"
	"time"
)

// A member has stopped before others take over, and they do in time, if clocks run from 0.8 to
// 1.2 seconds in a second.
func TestClockMargins(t *testing.T) {
	const slow, fast = 0.8, 1.2
	for lease := time.Second; lease < time.Hour; lease *= 2 {
		acts := float64(actFor(lease)) / slow
		if waits := float64(expireAfter(lease)) / fast; acts > 0.95*waits {
			t.Errorf("lease of %v: acts for %v, and others wait for %v", lease, time.Duration(acts), time.Duration(waits))
		}
		if waits := float64(expireAfter(lease)) / slow; waits > float64(lease) {
			t.Errorf("lease of %v: others wait for %v", lease, time.Duration(waits))
		}
	}
}

// What is seen late and done late takes less than two seconds with the defaults.
func TestDelays(t *testing.T) {
	o, err := Options{Group: "orders"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if o.standIn(0) != 0 || o.standIn(1) <= 0 || o.standIn(2) <= o.standIn(1) || o.standIn(100) != o.standIn(3) {
		t.Errorf("members stand in after %v, %v, %v, and the last one after %v", o.standIn(0), o.standIn(1), o.standIn(2), o.standIn(100))
	}
	if late := (o.pollInterval(3)*9/8 + o.standIn(100)) * 10 / 8; late > 2*time.Second {
		t.Errorf("up to %v late", late)
	}
	if o.pollInterval(3) != o.pollInterval(10) || o.pollInterval(50) != 5*o.pollInterval(10) {
		t.Errorf("3, 10 and 50 members list every %v, %v and %v", o.pollInterval(3), o.pollInterval(10), o.pollInterval(50))
	}
}
