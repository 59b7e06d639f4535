package eventlog

import (
	"testing"
	"testing/synctest"
)

// A waiter is woken once by each broadcast, and only then.
func TestSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Signal
		s.Broadcast() // nobody waits
		var woken [2]int
		for i := range woken {
			go func() {
				for range 2 {
					<-s.Next()
					woken[i]++
				}
			}()
		}
		for want := range 3 {
			synctest.Wait()
			if woken != [2]int{want, want} {
				t.Errorf("woken %v times after %d broadcasts", woken, want)
			}
			s.Broadcast()
		}
	})
}
