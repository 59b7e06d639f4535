package cache

import (
	"testing"
	"testing/synctest"
)

// Who waits is woken once by each ring, and only then.
func TestBell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bell
		b.ring() // nobody waits
		var woken [2]int
		for i := range woken {
			go func() {
				for range 2 {
					<-b.next()
					woken[i]++
				}
			}()
		}
		for want := range 3 {
			synctest.Wait()
			if woken != [2]int{want, want} {
				t.Errorf("woken %v times after %d rings", woken, want)
			}
			b.ring()
		}
	})
}
