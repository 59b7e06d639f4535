package progress

import (
	"sync"
	"testing"
	"time"
)

// A handler that is called for an event as soon as that happens is never seen to lag, however
// the status is read meanwhile.
func TestLagOfNothing(t *testing.T) {
	c := NewClock()
	m := New(&c)
	var readers sync.WaitGroup
	defer readers.Wait()
	over := make(chan struct{})
	readers.Go(func() {
		for {
			if lag := m.Read().Lag; lag > time.Minute {
				t.Errorf("lag: %v", lag)
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
		m.Step(c.Millis())
	}
	close(over)
}
