package cache

import (
	"sync"
	"testing"
	"time"
)

// A handler that is called for an event as soon as that happens is never seen to lag, however
// the status is read meanwhile.
func TestLagOfNothing(t *testing.T) {
	c := clock{time.Now()}
	p := newProgress(&c)
	var readers sync.WaitGroup
	defer readers.Wait()
	over := make(chan struct{})
	readers.Go(func() {
		for {
			var s HandlerStatus
			if p.status(&s); s.Lag > time.Minute {
				t.Errorf("lag: %v", s.Lag)
				return
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	for range 2_000_000 {
		p.step(c.millis())
	}
	close(over)
}
