package membership

import "time"

// clock is the clock of a process. Tests have others.
type clock interface {
	// now is the time since a fixed beginning. Nobody can set it, and it goes on while the process
	// is stopped or the machine is suspended.
	now() time.Duration
	// after calls f in a goroutine of its own after some time, unless stop is called before.
	after(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the monotonic clock or, on Linux, the boot clock, which goes on while the
// machine is suspended: whichever has advanced further.
type systemClock struct {
	began time.Time
	boot  time.Duration
}

func newSystemClock() systemClock { return systemClock{time.Now(), sinceBoot()} }

func (c systemClock) now() time.Duration { return max(time.Since(c.began), sinceBoot()-c.boot) }

func (systemClock) after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
