package membership

import "time"

// clock is the clock of a process. Tests use others.
type clock interface {
	// now returns the time since a fixed beginning. It can't be set, and it continues while the process is
	// stopped, but it may stand still while the machine is suspended.
	now() time.Duration
	// wall returns the time of day. It continues while the machine is suspended, but people may set it.
	wall() time.Time
	// after calls f in its own goroutine after some time, unless stop is called before.
	after(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the machine's clock. Its value is the time when it was made.
type systemClock time.Time

func (c systemClock) now() time.Duration { return time.Since(time.Time(c)) }

func (systemClock) wall() time.Time { return time.Now().Round(0) }

func (systemClock) after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
