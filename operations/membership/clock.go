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

// A member acts for 9/20 of LeaseDuration after it began to renew its life. Others hold it for dead
// when they have seen no life for 3/2 of that. If its clock runs 20 % slow and theirs 20 % fast, it
// stops just then: 9/20 / 0.8 = 27/40 / 1.2. If theirs run 20 % slow, they have waited for
// 27/32 of LeaseDuration in truth, and have seen its last renewal after up to 5/32.

// actFor is the time that a member may act after it began to renew its life and to list the slots.
func actFor(lease time.Duration) time.Duration { return lease * 9 / 20 }

// deadAfter is the time that others wait.
func deadAfter(lease time.Duration) time.Duration { return lease * 27 / 40 }
