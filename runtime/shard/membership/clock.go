package membership

import "time"

// clock is the clocks of a process. Tests have others.
type clock interface {
	now() instant
	// after calls f in a goroutine of its own after some time by the monotonic clock, unless
	// the function that it returns is called before.
	after(d time.Duration, f func()) (stop func() bool)
}

// instant is what the clocks show: durations since a common beginning. The monotonic clock
// may stand still while the machine is suspended. The boot clock does not, and is zero where
// there is none. The wall clock may be set.
type instant struct{ monotonic, wall, boot time.Duration }

// sinceAtMost is how much time has passed since an instant, or more: that of the clock that
// has advanced furthest.
func (i instant) sinceAtMost(before instant) time.Duration {
	return max(i.monotonic-before.monotonic, i.wall-before.wall, i.boot-before.boot)
}

// sinceAtLeast is how much time has passed since an instant, or less.
func (i instant) sinceAtLeast(before instant) time.Duration {
	return i.monotonic - before.monotonic
}

// systemClock is the clocks of this process.
type systemClock struct{ began time.Time }

func (c systemClock) now() instant {
	now := time.Now()
	return instant{monotonic: now.Sub(c.began), wall: now.Round(0).Sub(c.began.Round(0)), boot: sinceBoot()}
}

func (systemClock) after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
