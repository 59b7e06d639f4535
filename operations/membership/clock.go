package membership

import "time"

// clock is the clock of a process. Tests have others.
type clock interface {
	// now is the time since a fixed beginning. Nobody can set it, and it goes on while the process is
	// stopped, but it may stand still while the machine is suspended.
	now() time.Duration
	// wall is the time of day. It goes on while the machine is suspended, but people set it.
	wall() time.Time
	// after calls f in a goroutine of its own after some time, unless stop is called before.
	after(d time.Duration, f func()) (stop func() bool)
}

// systemClock is when it was made.
type systemClock time.Time

func (c systemClock) now() time.Duration { return time.Since(time.Time(c)) }

func (systemClock) wall() time.Time { return time.Now().Round(0) }

func (systemClock) after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
