package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// backoffReset is how long all has to be well for rests to begin anew, and a watch to
// last for none to follow when it is cut.
const backoffReset = 2 * time.Minute

// backoff says how long to rest after each failure. It begins anew when there
// was none for a while; wait.Backoff.DelayWithReset would do so even if there
// were nothing but failures.
type backoff struct {
	initial, current wait.Backoff
	// rested is when the last rest ended.
	rested time.Time
}

// rest returns how long to rest from now on, which is no less than atLeast.
func (b *backoff) rest(now time.Time, atLeast time.Duration) time.Duration {
	if now.Sub(b.rested) > backoffReset {
		b.current = b.initial
	}
	d := max(b.current.Step(), atLeast)
	b.rested = now.Add(d)
	return d
}
