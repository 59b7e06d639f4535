package membership

import (
	"testing"
	"time"
)

// Who acts by a Lease believes the clock that has advanced furthest, and who waits for one the
// monotonic clock.
func TestInstant(t *testing.T) {
	before := instant{monotonic: 10, wall: 1000, boot: 50}
	for _, test := range []struct {
		now         instant
		most, least time.Duration
	}{
		{instant{13, 1003, 53}, 3, 3},
		{instant{13, 1009, 53}, 9, 3},   // the wall clock was set, or the machine was suspended
		{instant{13, 900, 53}, 3, 3},    // the wall clock was set back
		{instant{13, 900, 200}, 150, 3}, // and the machine was suspended
	} {
		if most, least := test.now.sinceAtMost(before), test.now.sinceAtLeast(before); most != test.most || least != test.least {
			t.Errorf("%+v: got %d and %d, want %d and %d", test.now, most, least, test.most, test.least)
		}
	}
	clock := systemClock{time.Now()}
	first := clock.now()
	time.Sleep(10 * time.Millisecond)
	if most := clock.now().sinceAtMost(first); most < 10*time.Millisecond || most > time.Minute {
		t.Errorf("%v have passed", most)
	}
}
